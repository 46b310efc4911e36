/** Reads and writes `localStorage`, which a browser may deny. Then nothing is remembered, and nothing else changes. */

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The storage is denied or full.
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // The storage is denied.
  }
}
