/** The anchor of a section title: lower case, spaces and dots as hyphens, as other renderers make it. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/[\s.]+/g, '-');

/** Headings of the third level that are tabs of the section above them. They have no anchor. */
export const TAB_TITLES: readonly string[] = ['curl', 'Python', 'JavaScript', 'Command line', 'MCP'];

export const isTab = (depth: number, title: string): boolean => depth === 3 && TAB_TITLES.includes(title);
