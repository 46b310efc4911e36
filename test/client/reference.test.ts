import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENVIRONMENT } from '../../src/client/command.ts';
import { COMMANDS } from '../../src/client/commands.ts';
import { EXIT } from '../../src/client/failure.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { clientExports, clientPage, type Export } from '../../src/tools/build/clientPage.ts';
import { commandLinePage } from '../../src/tools/build/commandLinePage.ts';
import { type Doc, declarationsIn } from '../../src/tools/build/declarations.ts';
import {
  docEntries,
  docSections,
  type PythonMember,
  type PythonPackage,
  pythonPackage,
  pythonPage,
} from '../../src/tools/build/pythonPage.ts';

const written = (name: string) => readFile(`src/discovery/docs/${name}.md`, 'utf8');
const CURRENT = 'npm run generate';

describe('the reference of the JavaScript client', function () {
  this.timeout(60_000);
  let exported: Export[];
  before(() => {
    exported = clientExports();
  });

  it('is current', async () => {
    assert.equal(await written('client-javascript'), clientPage(exported), CURRENT);
  });

  it('has a section or a row for every export', () => {
    const page = clientPage(exported);
    for (const { name } of exported)
      assert.match(page, new RegExp(`^### (?:\\w+ )?${name}$|^\\| \`${name}\` \\|`, 'm'), name);
  });

  it('describes every export, method, parameter and property', () => {
    assert.deepEqual(exported.flatMap(problemsOf), []);
  });
});

/** Everything about an export that has no description. */
function problemsOf({ name, declaration, members }: Export): string[] {
  const { kind, doc, text } = declaration;
  const isTypeOfOperations = /'\w+\.\w+'|^type \w+ = \w+\['/.test(text);
  return [
    ...(doc.description === '' && !isTypeOfOperations ? [name] : []),
    ...(kind === 'function' ? undescribed(name, text, doc) : []),
    ...(kind === 'class'
      ? members.flatMap((member) => {
          if (member.name === 'name') return [];
          const isDescribed = member.doc.description !== '' || member.name === 'constructor';
          const place = `${name}.${member.name}`;
          return [...(isDescribed ? [] : [place]), ...undescribed(place, member.text, member.doc)];
        })
      : []),
  ];
}

/** The parameters of a function that its comment does not describe, and a result without a description. */
function undescribed(place: string, text: string, { params, returns }: Doc): string[] {
  const [, list] = /^(?:function )?\w+(?:<[\s\S]*?>)?\(([\s\S]*)\)(?:: |;)/.exec(text) ?? [];
  if (list === undefined) return [];
  const names = [...withoutTypes(list).matchAll(/(?:^|,)\s*(?:\.\.\.)?(\w+)\??:/g)].map(([, name]) => name!);
  const isVoid = /\): (?:Promise<)?void>?;$/.test(text) || /^constructor\(/.test(text);
  return [
    ...names.filter((name) => !params.has(name)).map((name) => `${place}(${name})`),
    ...[...params.keys()].filter((name) => !names.includes(name)).map((name) => `${place} has no ${name}`),
    ...(returns === undefined && !isVoid ? [`${place}: result`] : []),
  ];
}

/** Removes everything within brackets, which may contain further names. */
function withoutTypes(list: string): string {
  let text = list;
  for (;;) {
    const shorter = text.replaceAll(/\{[^{}]*\}|\([^()]*\)(?: =>)?|<[^<>]*>/g, '');
    if (shorter === text) return text;
    text = shorter;
  }
}

describe('the reference of the Python client', () => {
  let python: PythonPackage;
  before(function () {
    const found = pythonPackage('.');
    if (found === undefined) return this.skip();
    python = found;
  });

  it('is current', async () => {
    assert.equal(await written('client-python'), pythonPage(python, OPERATIONS), CURRENT);
  });

  it('has a section for every public name, and a row for every operation', () => {
    const page = pythonPage(python, OPERATIONS);
    for (const { public: name } of python.all) assert.match(page, new RegExp(`^### agent_forum\\.${name}$`, 'm'), name);
    for (const { name } of OPERATIONS) assert.ok(page.includes(`| \`${name.replace('.', '_')}\``), name);
  });

  it('describes every public name, method, parameter, result and attribute', () => {
    const { all, bases } = python;
    const problems = all.flatMap((each) => [
      ...problemsOfMember(each.name, each),
      ...(each.attributes ?? []).filter(({ doc }) => doc === '').map(({ name }) => `${each.name}.${name}`),
      ...(each.methods ?? []).flatMap((method) => problemsOfMember(`${each.name}.${method.name}`, method)),
    ]);
    problems.push(...bases.ShortNames.methods.flatMap((method) => problemsOfMember(method.name, method)));
    assert.deepEqual(problems, []);
  });
});

/** Errors are made by the client, so nobody passes their parameters. */
function problemsOfMember(place: string, { kind, doc, parameters = [], returns = '' }: PythonMember): string[] {
  const { description = '', Args = '', Returns } = docSections(doc);
  const described = docEntries(Args).map(([name]) => name);
  const isError = /Error$/.test(place) || place === 'ForumError.advise';
  const isCall = kind === 'function' || kind === 'classmethod';
  return [
    ...(description.trim() === '' ? [place] : []),
    ...(isError ? [] : parameters.filter((name) => !described.includes(name)).map((name) => `${place}(${name})`)),
    ...described.filter((name) => !parameters.includes(name)).map((name) => `${place} has no ${name}`),
    ...(isCall && !['', 'None'].includes(returns) && Returns === undefined ? [`${place}: result`] : []),
  ];
}

describe('the reference of the command line', () => {
  it('is current', async () => {
    assert.equal(await written('command-line'), commandLinePage(), CURRENT);
  });

  it('has every command with its arguments, options and operation, and every exit code', () => {
    const sections = new Map(
      commandLinePage()
        .split(/^(?=##+ )/m)
        .map((section) => [/^#+ (.*)$/m.exec(section)![1]!, section]),
    );
    for (const [name, { options, positionals, operation }] of Object.entries(COMMANDS)) {
      const section = sections.get(`forum ${name}`)!;
      for (const option of Object.keys(options))
        assert.match(section, new RegExp(`^\\| \`--${option}[ \`]`, 'm'), name);
      assert.equal([...section.matchAll(/^\| `[<[].*[>\]]` \| \S/gm)].length, positionals.length, name);
      if (operation !== undefined) assert.ok(section.includes(`[\`${operation}\`]`), name);
    }
    for (const code of Object.values(EXIT))
      assert.match(sections.get('Exit status')!, new RegExp(`^\\| ${code} \\|`, 'm'));
  });

  it('has every environment variable that the command line reads', async () => {
    const files = (await readdir('src/client', { recursive: true })).filter((name) => /^[\w/]+\.ts$/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(join('src/client', name), 'utf8')));
    const read = texts.flatMap((text) =>
      [...text.matchAll(/\benv\.([A-Z_]+)|\b(?:setting|addressOf|settingOf)\((?:env, )?'([A-Z_]+)'/g)].map(
        ([, one, other]) => one ?? other!,
      ),
    );
    assert.deepEqual([...new Set(read)].toSorted(), Object.keys(ENVIRONMENT).toSorted());
  });
});

describe('declarations of the compiler', () => {
  it('are read with their comments and members', () => {
    const [declaration] = declarationsIn(
      [
        '/** One.',
        ' *',
        ' * @example',
        ' * run();',
        ' */',
        'export declare class A extends B {',
        '    private hidden;',
        '    /**',
        '     * Adds.',
        '     *',
        '     * @param one - The first',
        '     * number.',
        '     * @returns The sum.',
        '     */',
        '    add(one: {',
        '        a: number;',
        '    }): number;',
        '}',
      ].join('\n'),
    );
    assert.deepEqual([declaration!.name, declaration!.base, declaration!.doc.example], ['A', 'B', 'run();']);
    const [member, ...others] = declaration!.members;
    assert.equal(others.length, 0);
    assert.equal(member!.text, 'add(one: {\n    a: number;\n}): number;');
    assert.deepEqual([...member!.doc.params], [['one', 'The first number.']]);
  });
});
