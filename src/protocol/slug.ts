/** The anchor of a section title: lower case, spaces and dots as hyphens, as other renderers make it. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/[\s.]+/g, '-');
