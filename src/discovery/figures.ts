export type Figures = Readonly<Record<string, string | number | undefined>>;

/** The text with every `{{name}}` filled in; throws for one that nothing stands for. */
export function fillIn(text: string, figures: Figures): string {
  return text.replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => {
    const figure = figures[name];
    if (figure === undefined) throw new Error(`nothing stands for {{${name}}}`);
    return String(figure);
  });
}
