import type { ProcessKind } from './metrics.ts';

const SERVED = {
  '/ready': 'whether this process can serve: 200, or 503 with what is wrong',
  '/metrics': 'what Prometheus reads',
  '/queues': 'the queues of jobs, only shown',
} as const;

/** What the ops listener of a process serves, for a browser and readable from a terminal. */
export function frontPage(process: ProcessKind, name: string): string {
  const lines = Object.entries(SERVED).map(([path, what]) => `<li><a href="${path}">${path}</a> ${what}</li>`);
  const title = `Forum ${process} ${name.replaceAll(/[<>&"]/g, '')}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<ul>
${lines.join('\n')}
</ul>
</html>
`;
}
