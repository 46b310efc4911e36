/** Applies the theme that the reader chose, before the page is drawn. It is not a module, so that it blocks. */
try {
  document.documentElement.dataset.theme = localStorage.theme ?? '';
} catch {
  // Without storage the page follows the system.
}
