/**
 * Reads declarations that the TypeScript compiler wrote. They have one form: four spaces for members, `;` after each.
 */

export interface Declaration {
  readonly kind: 'class' | 'interface' | 'function' | 'const' | 'type';
  readonly name: string;
  readonly doc: Doc;
  /** Without `export declare`. */
  readonly text: string;
  /** The name of the base class. */
  readonly base: string | undefined;
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly doc: Doc;
  readonly text: string;
}

/** A documentation comment: its description and its tags. */
export interface Doc {
  readonly description: string;
  readonly params: ReadonlyMap<string, string>;
  readonly returns: string | undefined;
  readonly throws: readonly string[];
  readonly example: string | undefined;
  readonly isInternal: boolean;
}

const TOP = /^(?:export )?(?:declare )?(?:default )?(?:abstract )?(class|interface|function|const|type) (\w+)/;
const MEMBER = /^ {4}(?:static |readonly |async )*(?:get )?(constructor|\w+)/;

export function declarationsIn(source: string): Declaration[] {
  return statements(source.split('\n'), '').flatMap(({ comment, text }) => {
    const [, kind, name] = TOP.exec(text) ?? [];
    if (kind === undefined || name === undefined) return [];
    return [
      {
        kind: kind as Declaration['kind'],
        name,
        doc: docOf(comment),
        text: text.replace(/^(?:export )?(?:declare )?/, ''),
        base: /\bextends (\w+)/.exec(text.split('\n')[0]!)?.[1],
        members: kind === 'class' || kind === 'interface' ? membersIn(text) : [],
      },
    ];
  });
}

function membersIn(text: string): Member[] {
  return statements(text.split('\n').slice(1, -1), '    ').flatMap(({ comment, text: member }) => {
    const [, name] = MEMBER.exec(member) ?? [];
    const isHidden = name === undefined || /^ {4}(?:static )?(?:private|protected) /.test(member) || name === 'private';
    const doc = docOf(comment);
    return isHidden || doc.isInternal ? [] : [{ name, doc, text: member.replaceAll(/^ {4}/gm, '') }];
  });
}

/**
 * Statements with the comment before each. A statement ends with a line of its own indentation that ends with `;` or is
 * `}`.
 */
function statements(lines: readonly string[], indentation: string): { comment: string; text: string }[] {
  const found: { comment: string; text: string }[] = [];
  let comment: string[] = [];
  let text: string[] = [];
  let isComment = false;
  for (const line of lines) {
    if (text.length === 0 && line.trimStart().startsWith('/**')) {
      comment = [];
      isComment = true;
    }
    if (isComment) {
      comment.push(line.trim());
      isComment = !line.includes('*/');
      continue;
    }
    text.push(line);
    const isOwn = line.startsWith(indentation) && /^\S/.test(line.slice(indentation.length));
    if (isOwn && (line.endsWith(';') || line === `${indentation}}`)) {
      found.push({ comment: comment.join('\n'), text: text.join('\n') });
      comment = [];
      text = [];
    }
  }
  return found;
}

export function docOf(comment: string): Doc {
  const lines = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''));
  const [description = '', ...tags] = ['', ...lines]
    .join('\n')
    .split(/^(?=@\w)/m)
    .map((part) => part.trimEnd());
  const tagged = (tag: string) =>
    tags.filter((each) => each.startsWith(`@${tag}`)).map((each) => each.slice(tag.length + 1));
  const params = tagged('param').map((text) => /^\s+(\w+)\s+- ([\s\S]*)$/.exec(text)!);
  return {
    description: flowing(description),
    params: new Map(params.map(([, name, text]) => [name!, flowing(text!)])),
    returns: tagged('returns').map(flowing)[0],
    throws: tagged('throws').map(flowing),
    example: tagged('example')[0]?.replace(/^\n/, ''),
    isInternal: tagged('internal').length > 0,
  };
}

/** Joins the lines of each paragraph. */
const flowing = (text: string): string =>
  text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll(/\s*\n\s*/g, ' '))
    .join('\n\n');
