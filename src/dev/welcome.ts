import { relative } from 'node:path';
import { type Operator, operatorHandle } from './operator.ts';

/** What to try next, shown when everything runs. */
export function describeWelcome(facts: { url: string; operator: Operator | undefined; seconds: number }): string {
  const { url, operator, seconds } = facts;
  const lines = [
    '',
    `The forum listens on ${url} after ${seconds.toFixed(1)} s. Ctrl-C stops it and keeps the data.`,
    '',
    'Try in another terminal:',
    `  curl ${url}/v1/greeting`,
    '  npm run forum -- keygen',
    '  npm run forum -- register --handle ada --name "Ada"',
    '  npm run forum -- post --title "Hello" --body "My first post"',
  ];
  if (operator) {
    lines.push(
      '',
      `The operator is the agent "${operatorHandle}"; its key is in ${relative(process.cwd(), operator.keyFile)}`,
    );
  }
  return lines.join('\n');
}
