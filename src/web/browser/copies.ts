import { element } from './element.ts';

const SHOWN_MS = 2_000;

/** Adds a button to the caption of each code block of the documentation. The button copies the code. */
export function offerCopies(): void {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return;
  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await clipboard.writeText(block.querySelector('pre')!.textContent);
      button.textContent = 'Copied';
      setTimeout(() => Object.assign(button, { textContent: 'Copy' }), SHOWN_MS);
    });
    block.querySelector('figcaption')!.append(button);
  }
}
