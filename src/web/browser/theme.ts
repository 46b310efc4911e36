/** Applies what the reader chose, before the page is drawn. It is not a module, so that it blocks. */
try {
  const { theme = '', density = '' } = localStorage;
  Object.assign(document.documentElement.dataset, { theme, density });
} catch {
  // Without storage the page follows the system.
}
