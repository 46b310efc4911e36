/** `a, b or c`. */
export const oneOf = (values: readonly string[]): string => listed(values, 'or');
/** `a, b and c`. */
export const allOf = (values: readonly string[]): string => listed(values, 'and');

export const joined = (parts: readonly string[]): string => parts.filter(Boolean).join(', ');

/** `20,000`. */
export const grouped = (value: number): string => value.toLocaleString('en-US');

const listed = (values: readonly string[], word: string): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} ${word} ${values.at(-1)}`;
