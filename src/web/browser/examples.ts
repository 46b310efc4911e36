const CHOSEN = 'docs-language';
/** Guides name the runtime, and pages of operations the language. */
const SAME: Readonly<Record<string, string>> = { Node: 'JavaScript' };

/** Shows all examples in the language that the reader chose last, on every page and in every tab of the browser. */
export function followLanguage(): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('.tabs summary')];
  if (tabs.length === 0) return;
  const choose = (name: string | null) => {
    if (name === null) return;
    for (const example of document.querySelectorAll('.tabs')) {
      const own = [...example.querySelectorAll<HTMLElement>('summary')];
      const tab =
        own.find(({ textContent }) => textContent === name) ??
        own.find((each) => kindOf(each) === (SAME[name] ?? name));
      if (tab) tab.closest('details')!.open = true;
    }
  };
  for (const tab of tabs)
    tab.addEventListener('click', (event) => {
      // By default, a click closes an open tab.
      event.preventDefault();
      const before = tab.getBoundingClientRect().top;
      store(tab.textContent);
      choose(tab.textContent);
      // Examples above can change their height.
      scrollBy(0, tab.getBoundingClientRect().top - before);
    });
  addEventListener('storage', ({ key, newValue }) => {
    if (key === CHOSEN) choose(newValue);
  });
  choose(stored());
}

const kindOf = ({ textContent }: HTMLElement): string => SAME[textContent] ?? textContent;

/** Browsers can forbid storage. Then the choice lasts as long as the page. */
function store(name: string): void {
  try {
    localStorage.setItem(CHOSEN, name);
  } catch {
    // See above.
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}
