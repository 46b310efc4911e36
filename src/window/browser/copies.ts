/** A way to take the examples of the documentation along. */
export function offerCopies(): void {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!location.pathname.startsWith('/docs') || !clipboard) return;
  for (const block of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void clipboard.writeText(block.textContent).then(() => {
        button.textContent = 'Copied';
      });
    });
    block.after(button);
  }
}
