/** A strict reading of markup, stricter than a browser's: what it does not understand, it says. */

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const VOID = new Set(['meta', 'link', 'img', 'input', 'br', 'hr']);
const TAG = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:-]+)(?:="([^"<]*)")?/g;

/** Without what is no markup: declarations, and data in scripts. */
const withoutData = (text: string): string =>
  text.replace(/^<!doctype html>|^<\?xml [^>]*\?>/, '').replaceAll(/(<script[^>]*>)[^<]*(<\/script>)/g, '$1$2');

/** All elements in their order. */
export function elementsOf(text: string): Element[] {
  return [...withoutData(text).matchAll(TAG)]
    .filter(([, end]) => end === '')
    .map(([, , name, rest]) => ({
      name: name!,
      attributes: new Map([...rest!.matchAll(ATTRIBUTE)].map(([, key, value = '']) => [key!, value])),
    }));
}

/** What is not closed, closed twice, or a bracket that is no tag. */
export function brokenTags(text: string): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  const left = withoutData(text).replaceAll(TAG, (_tag, end: string, name: string, _rest, closed: string) => {
    if (end === '') {
      if (closed === '' && !VOID.has(name)) open.push(name);
    } else if (open.pop() !== name) problems.push(`</${name}>`);
    return '';
  });
  const stray = /[^\n]{0,40}<[^\n]{0,40}/.exec(left);
  if (stray) problems.push(`no tag: ${stray[0]}`);
  return [...problems, ...open.map((name) => `<${name}> is not closed`)];
}
