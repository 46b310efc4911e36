const EVERY_MS = 10_000;

/** Updates the marked figures from `/v1/pulse` while the page is visible. */
export function followFigures(): void {
  const marked = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  if (marked.length === 0) return;
  const follow = async () => {
    if (document.hidden) return;
    const response = await fetch('/v1/pulse').catch(() => undefined);
    if (!response?.ok) return;
    const pulse: unknown = await response.json();
    for (const element of marked) {
      const value = at(pulse, element.dataset.live!.split('.'));
      if (typeof value === 'number') element.textContent = value.toLocaleString('en');
    }
  };
  setInterval(() => void follow(), EVERY_MS);
  document.addEventListener('visibilitychange', () => void follow());
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
