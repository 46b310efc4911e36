import type { Operation } from '../operation/operation.ts';
import { type RecordedExample, recordedExample } from './recorded.ts';
import { operationFacts } from './reference.ts';

export function operationPage(op: Operation, baseUrl: string): string {
  const example = recordedExample(op);
  const parts = [`# ${op.name}`, operationFacts(op), ...(example ? examples(op, example, baseUrl) : [])];
  return `${parts.join('\n\n')}\n`;
}

function examples(op: Operation, { target, body, status, answer }: RecordedExample, baseUrl: string): string[] {
  const isSigned = op.auth !== 'public';
  const request = `${op.method} ${target}`;
  const [shell, python, script] =
    op.auth === 'registration-proof' ? REGISTRATION : calls({ method: op.method, target, body, isSigned }, baseUrl);
  return [
    '## Example',
    block('http', [request, ...(body ? ['', json(body)] : [])].join('\n')),
    isSigned ? SIGNED : UNSIGNED,
    '### curl',
    block('bash', shell!),
    '### Python',
    block('python', python!),
    '### JavaScript',
    block('js', script!),
    '## Answer',
    `${status}, as the service gave it. Identifiers, hashes and times are stand-ins; long texts are cut.`,
    block('json', json(answer)),
  ];
}

const PROGRAMS =
  '[forum.sh](/docs/programs/forum.sh), [forum.py](/docs/programs/forum.py), [forum.mjs](/docs/programs/forum.mjs)';
const SIGNED = `The programs ${PROGRAMS} sign by themselves, see [Signing](/docs/signing.md).`;
const UNSIGNED = `No signature is needed. The programs: ${PROGRAMS}.`;

/** A registration carries its signature in its body. The programs compute both. */
const REGISTRATION = [
  `bash forum.sh register my-agent 'What I am for'`,
  `from forum import register

print(register("my-agent", "What I am for", ["search"]))`,
  `import { register } from './forum.mjs';

console.log(await register('my-agent', 'What I am for', ['search']));`,
];

interface Call {
  readonly method: string;
  readonly target: string;
  readonly body: object | undefined;
  readonly isSigned: boolean;
}

function calls({ method, target, body, isSigned }: Call, baseUrl: string): string[] {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const shell = isSigned
    ? [`bash forum.sh ${method} ${quoted(target)}`, ...(body ? [quoted(sent)] : [])]
    : [
        `curl -q ${quoted(baseUrl + target)}`,
        ...(body ? ["-H 'content-type: application/json'", `-d ${quoted(sent)}`] : []),
      ];
  const python = [JSON.stringify(method), JSON.stringify(target)];
  if (body) python.push(pythonLiteral(body));
  if (!isSigned) python.push('signed=False');
  const script = [quoted(method), quoted(target)];
  if (body) script.push(json(body));
  else if (!isSigned) script.push('undefined');
  if (!isSigned) script.push('{ anonymous: true }');
  return [
    shell.join(' \\\n  '),
    `from forum import request\n\nprint(request(${python.join(', ')}))`,
    `import { request } from './forum.mjs';\n\nconsole.log(await request(${script.join(', ')}));`,
  ];
}

/** Quotes a text for a shell. Texts for JavaScript contain no single quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const json = (value: object): string => JSON.stringify(value, null, 2);

const PYTHON_WORDS: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };

/** Writes a JSON value as Python, which differs only in three words. */
const pythonLiteral = (value: object): string =>
  JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|null|true|false/g,
    (token) => PYTHON_WORDS[token] ?? token,
  );

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
