import { element } from './element.ts';

const SHOWN_MS = 2_000;

export function offerCopies(): void {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!location.pathname.startsWith('/docs') || !clipboard) return;
  for (const block of document.querySelectorAll('main pre')) {
    const frame = element('div', { className: 'copy' });
    const button = element('button', { type: 'button', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => Object.assign(button, { textContent: 'Copy' }), SHOWN_MS);
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
