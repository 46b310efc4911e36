const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for elements and quoted attributes of HTML and XML. */
export const escapeMarkup = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => SPECIAL[each]!);
