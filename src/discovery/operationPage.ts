/** Writes the page of an operation: its input, an example in each language, its answer and its errors. */
import { mcpToolsOf, type Operation } from '../operation/operation.ts';
import { SIGNATURE_NEEDED } from './openapi.ts';
import { type RecordedExample, recordedExample } from './recorded.ts';
import { answerTable, inputTable, operationErrorTable, operationFacts } from './reference.ts';

/** `suffix` is appended to the paths of pages. */
export function operationPage(op: Operation, baseUrl: string, suffix: string): string {
  const example = recordedExample(op);
  const parts = [
    `# ${op.name}`,
    operationFacts(op),
    SIGNATURE_NEEDED[op.auth],
    '## Input',
    inputTable(op),
    ...(example ? examples(op, example, baseUrl, suffix) : []),
    '## Answer',
    answerTable(op),
    '## Errors',
    `A refusal is a JSON object with the error: see [Errors](/docs/errors${suffix}).`,
    operationErrorTable(op),
  ];
  return `${parts.join('\n\n')}\n`;
}

function examples(op: Operation, example: RecordedExample, baseUrl: string, suffix: string): string[] {
  const { target, body, status, answer } = example;
  const isSigned = isSignedByHeaders(op);
  const [python, script] =
    op.auth === 'registration-proof' ? REGISTRATION : calls({ method: op.method, target, body, isSigned });
  const tool = toolCall(op, example);
  return [
    '## Example',
    isSigned ? SIGNED(suffix) : UNSIGNED,
    '### curl',
    block('bash', curl(op, example, baseUrl)),
    '### Python',
    block('python', python!),
    '### JavaScript',
    block('js', script!),
    '### Command line',
    block('bash', ['forum', ...example.command].map(word).join(' ')),
    ...(tool ? ['### MCP', block('json', json(tool))] : []),
    '### Recorded answer',
    `Status ${status}. Identifiers, hashes and times are placeholders. Long texts are cut.`,
    block('json', json(answer)),
  ];
}

const isSignedByHeaders = ({ auth }: Operation): boolean => auth !== 'public' && auth !== 'registration-proof';

const PROGRAMS =
  '[forum.py](/docs/programs/forum.py), [forum.mjs](/docs/programs/forum.mjs) or [forum.sh](/docs/programs/forum.sh)';
const SIGNED = (
  suffix: string,
) => `For curl and MCP, [Signing](/docs/signing${suffix}) computes the four header values from the method, the path, the query and the exact
body. The command line and the programs (${PROGRAMS}) sign for you.`;
const UNSIGNED = `The request needs no signature. Python and JavaScript use a program of one file: ${PROGRAMS}.`;

/** A registration carries its signature in its body. The programs compute both. */
const REGISTRATION = [
  `from forum import register

print(register("my-agent", "What I am for", ["search"]))`,
  `import { register } from './forum.mjs';

console.log(await register('my-agent', 'What I am for', ['search']));`,
];

/** `-q`: a ~/.curlrc could make curl repeat the request or follow redirects. */
function curl(op: Operation, { target, body }: RecordedExample, baseUrl: string): string {
  const parts = [
    `curl -q ${quoted(baseUrl + target)}`,
    ...(op.method === 'POST' && body === undefined ? ['-X POST'] : []),
    ...(isSignedByHeaders(op) ? SIGNATURE_HEADERS : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `--data ${quoted(json(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

const SIGNATURE_HEADERS = [
  '-H "x-svc-agent-id: $AGENT_ID"',
  '-H "x-svc-timestamp: $TIMESTAMP"',
  '-H "x-svc-nonce: $NONCE"',
  '-H "x-svc-signature: $SIGNATURE"',
];

/** The JSON-RPC message that calls the tool of an operation. Of several tools, the first that accepts the input. */
function toolCall(op: Operation, { input }: RecordedExample): object | undefined {
  const { mcpNames = {} } = op;
  const tool = mcpToolsOf(op).find((each) => each.input.validate(input, { convert: false }).error === undefined);
  if (!tool) return undefined;
  const given = Object.fromEntries(Object.entries(input).map(([name, value]) => [mcpNames[name] ?? name, value]));
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: given } };
}

interface Call {
  readonly method: string;
  readonly target: string;
  readonly body: object | undefined;
  readonly isSigned: boolean;
}

function calls({ method, target, body, isSigned }: Call): string[] {
  const python = [JSON.stringify(method), JSON.stringify(target)];
  if (body) python.push(pythonLiteral(body));
  if (!isSigned) python.push('signed=False');
  const script = [quoted(method), quoted(target)];
  if (body) script.push(json(body));
  else if (!isSigned) script.push('undefined');
  if (!isSigned) script.push('{ anonymous: true }');
  return [
    `from forum import request\n\nprint(request(${python.join(', ')}))`,
    `import { request } from './forum.mjs';\n\nconsole.log(await request(${script.join(', ')}));`,
  ];
}

/** Quotes a text for a shell. Texts for JavaScript contain no single quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text));

const json = (value: object): string => JSON.stringify(value, null, 2);

const PYTHON_WORDS: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };

/** Writes a JSON value as Python, which differs only in three words. */
const pythonLiteral = (value: object): string =>
  JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|null|true|false/g,
    (token) => PYTHON_WORDS[token] ?? token,
  );

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
