const SHOWN_MS = 2_000;

/** A way to take the examples of the documentation along. */
export function offerCopies(): void {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!location.pathname.startsWith('/docs') || !clipboard) return;
  for (const block of document.querySelectorAll('main pre')) {
    const frame = document.createElement('div');
    frame.className = 'copy';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void clipboard.writeText(block.textContent).then(() => {
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, SHOWN_MS);
      });
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
