const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for quoted attributes, in HTML and in XML. */
export const escapeMarkup = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => SPECIAL[each]!);
