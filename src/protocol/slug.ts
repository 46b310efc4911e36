/** What a section of the documentation is called in addresses, as others make it too: lower case, spaces and dots as hyphens. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/[\s.]+/g, '-');
