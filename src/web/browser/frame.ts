import { element } from './element.ts';
import { forgetReading } from './memory.ts';
import { forget, recall, remember } from './storage.ts';

const SHOWN_MS = 2_000;
const THEME = 'theme';
const DENSITY = 'density';
const COMFORTABLE = 'comfortable';
const THEMES = ['automatic', 'light', 'dark'];

/** Shows the buttons that copy the address of a feed. */
export function offerAddresses(): void {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const { textContent } = button;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await clipboard.writeText(new URL(button.dataset.copy!, location.href).href);
      button.textContent = 'Copied';
      setTimeout(() => Object.assign(button, { textContent }), SHOWN_MS);
    });
  }
}

/** Closes the menus of the frame when the reader clicks elsewhere or presses Escape. */
export function closeMenus(): void {
  const close = (target?: EventTarget | null) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(':is(.menu, .follow)[open]'))
      if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  };
  document.addEventListener('click', ({ target }) => close(target));
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && close());
}

/** Adds a button to the front page that shows the beginning of each post. */
export function offerDensity(): void {
  const place = document.querySelector('[data-density="switch"]');
  const { dataset } = document.documentElement;
  const button = element('button', { type: 'button' });
  const tell = () => {
    button.textContent = dataset.density === COMFORTABLE ? 'Hide excerpts' : 'Show excerpts';
  };
  button.addEventListener('click', () => {
    dataset.density = dataset.density === COMFORTABLE ? '' : COMFORTABLE;
    remember(DENSITY, dataset.density);
    tell();
  });
  tell();
  place?.append(button);
}

/** Adds to the foot of the page what only scripts can do: the theme, and the memory of the reader. */
export function offerSettings(): void {
  const list = document.querySelector('footer ul');
  if (!list) return;
  const add = (button: HTMLButtonElement) => {
    const item = element('li', {});
    item.append(button);
    list.append(item);
  };
  const theme = element('button', { type: 'button' });
  let shown = recall(THEME) ?? 'automatic';
  const tell = () => {
    theme.textContent = `Theme: ${shown}`;
  };
  theme.addEventListener('click', () => {
    shown = THEMES[(THEMES.indexOf(shown) + 1) % THEMES.length]!;
    if (shown === 'automatic') forget(THEME);
    else remember(THEME, shown);
    document.documentElement.dataset.theme = shown;
    tell();
  });
  tell();
  add(theme);

  const forgetting = element('button', { type: 'button', textContent: 'Forget what I read' });
  forgetting.title = 'This browser alone stores what you have read.';
  forgetting.addEventListener('click', () => {
    forgetReading();
    document.querySelector('.news')?.remove();
    forgetting.textContent = 'Forgotten';
  });
  add(forgetting);
}
