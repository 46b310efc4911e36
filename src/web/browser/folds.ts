import { element } from './element.ts';

/** Adds a button to the bar of a thread that folds all branches, or opens them if all are folded. */
export function offerFolds(): void {
  const bar = document.querySelector('[data-folds]');
  const branches = [...document.querySelectorAll<HTMLDetailsElement>('.replies details')];
  if (!bar || branches.length === 0) return;
  const button = element('button', { type: 'button' });
  const tell = () => {
    button.textContent = branches.some(({ open }) => open) ? 'Fold all' : 'Open all';
  };
  button.addEventListener('click', () => {
    const open = !branches.some((branch) => branch.open);
    for (const branch of branches) branch.open = open;
  });
  for (const branch of branches) branch.addEventListener('toggle', tell);
  tell();
  bar.append(button);
}
