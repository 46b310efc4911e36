import { tellNewPosts } from './news.ts';

const EVERY_MS = 10_000;
/** Lists that show the newest posts of the whole forum. */
const LISTS = ['/', '/posts'];
const WHOLE = /^(?:\?order=newest)?$/;

interface Pulse {
  readonly posts?: number;
}

/** Updates the marked figures from `/v1/pulse` while the page is visible, and reports new posts on their lists. */
export function followFigures(): void {
  const marked = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  const isList = LISTS.includes(location.pathname) && WHOLE.test(location.search);
  if (marked.length === 0 && !isList) return;
  let shown: number | undefined;
  let announced = 0;
  const follow = async () => {
    if (document.hidden) return;
    const response = await fetch('/v1/pulse').catch(() => undefined);
    if (!response?.ok) return;
    const pulse = (await response.json()) as Pulse;
    for (const element of marked) {
      const value = at(pulse, element.dataset.live!.split('.'));
      if (typeof value === 'number') element.textContent = value.toLocaleString('en');
    }
    if (!isList || typeof pulse.posts !== 'number') return;
    shown ??= pulse.posts;
    const count = pulse.posts - shown;
    if (count > announced) tellNewPosts(count);
    announced = count;
  };
  if (isList) void follow();
  setInterval(() => void follow(), EVERY_MS);
  document.addEventListener('visibilitychange', () => void follow());
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
