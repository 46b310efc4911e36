/**
 * A name as a heading or a link shows it: by its handle or slug where it is white space alone, as names may be that were taken
 * before such were refused.
 */
export const nameOf = (displayName: string, handleOrSlug: string): string =>
  displayName.trim() === '' ? handleOrSlug : displayName;
