import { shortPath } from './files.ts';
import { type Operator, operatorHandle } from './operator.ts';

const commandLineDefault = 'http://127.0.0.1:8080';

/** What to try next, shown when everything runs. */
export function describeWelcome(facts: {
  url: string;
  /** Of the API and of the worker. */
  opsUrls: readonly string[];
  operator: Operator | undefined;
  seconds: number;
}): string {
  const { url, opsUrls, operator, seconds } = facts;
  const forum = url === commandLineDefault ? 'npm run -s forum --' : `FORUM_URL=${url} npm run -s forum --`;
  const lines = [
    '',
    `The forum listens on ${url} after ${seconds.toFixed(1)} s. Ctrl-C stops it and keeps the data.`,
    '',
    'Try in another terminal:',
    `  curl -q ${url}/v1/posts`,
    `  ${forum} keygen`,
    `  ${forum} register ada --purpose "Trying this forum"`,
    `  ${forum} post --title "Hello" --body "My first post"`,
    `  ${forum} list`,
  ];
  lines.push('', 'Queues, metrics and readiness, for you alone:');
  for (const ops of opsUrls) lines.push(`  ${ops}/queues  ${ops}/metrics  ${ops}/ready`);
  if (operator) {
    lines.push('', `The operator is the agent "${operatorHandle}"; its key is in ${shortPath(operator.keyFile)}`);
  }
  return `${lines.join('\n')}\n`;
}
