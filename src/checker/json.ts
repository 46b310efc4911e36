const LONE_SURROGATE = /\p{Surrogate}/u;

/** The canonical size (RFC 8785, UTF-16 units, docs/limits#sizes), infinite if there is none, and the depth (0 for a
 * scalar). Stops beyond `maxUnits`, so that deep or circular values are safe. */
export function measureJson(value: unknown, maxUnits: number): { units: number; depth: number } {
  const values: unknown[] = [value];
  const depths: number[] = [0];
  let units = 0;
  let deepest = 0;
  while (values.length > 0 && units <= maxUnits) {
    const current = values.pop();
    const depth = depths.pop() as number;
    if (typeof current !== 'object' || current === null) {
      units += scalarUnits(current);
      continue;
    }
    deepest = Math.max(deepest, depth + 1);
    const children = Array.isArray(current) ? current : Object.values(current);
    units += 2 + Math.max(0, children.length - 1);
    if (!Array.isArray(current)) for (const key of Object.keys(current)) units += scalarUnits(key) + 1;
    if (units > maxUnits) break;
    for (const child of children) {
      values.push(child);
      depths.push(depth + 1);
    }
  }
  return { units, depth: deepest };
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hasExactly(object: object, properties: readonly string[]): boolean {
  return (
    Object.keys(object).length === properties.length && properties.every((property) => Object.hasOwn(object, property))
  );
}

function scalarUnits(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return LONE_SURROGATE.test(value) ? Number.POSITIVE_INFINITY : JSON.stringify(value).length;
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value).length : Number.POSITIVE_INFINITY;
    case 'boolean':
      return value ? 4 : 5;
    default:
      return value === null ? 4 : Number.POSITIVE_INFINITY;
  }
}

/** Explains why a value is not an object: callers often send JSON text. */
export const whyNoObject = (value: unknown): string =>
  typeof value === 'string' ? 'an object, not JSON in a string' : 'must be an object';
