/**
 * A display name, or the handle or slug if the name is only white space. Such names are older than the check for them.
 */
export const nameOf = (displayName: string, handleOrSlug: string): string =>
  displayName.trim() === '' ? handleOrSlug : displayName;
