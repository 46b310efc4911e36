/** Serves the documentation over MCP: a tool that reads a chapter, and a resource for each chapter (docs/mcp). */
import { read } from '../operation/operation.ts';
import { Joi } from '../operation/schemas.ts';
import { object, oneOf } from '../operation/shape.ts';
import { membersIn } from './protocol.ts';
import { type BoundTool, boundTool } from './tools.ts';

export interface Chapter {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export interface Book {
  readonly names: readonly string[];
  readonly chapters: () => readonly Chapter[];
}

const TYPE = 'text/markdown';
const uriOf = ({ name }: Chapter): string => `forum://docs/${name}`;

/** `read_docs` returns a chapter as text. For another name the refusal lists all chapters (docs/mcp#doors). */
export function docsTool({ names, chapters }: Book): BoundTool {
  const summary = 'Read one chapter of the documentation. Begin with start.';
  const input = object({ chapter: oneOf(...names).description('Name of the chapter.') });
  const output = object({ text: Joi.string().description('The chapter, as Markdown.') });
  const op = read({
    name: 'mcp.docs',
    method: 'POST',
    path: '/mcp',
    auth: 'public',
    summary,
    isCoreTool: true,
    example: { body: { chapter: 'start' } },
    input,
    output,
    handle: async (_ctx, { chapter }) => ({ text: chapters().find(({ name }) => name === chapter)!.text }),
  });
  return {
    ...boundTool(op, { name: 'read_docs', summary, input, output }),
    textOf: (json) => (JSON.parse(json) as { text: string }).text,
    advice: { chapters: names },
  };
}

export const listedResources = (chapters: readonly Chapter[]): object => ({
  resources: chapters.map((chapter) => ({
    uri: uriOf(chapter),
    name: chapter.name,
    title: chapter.title,
    mimeType: TYPE,
    size: Buffer.byteLength(chapter.text),
  })),
});

export const resourceTexts = (chapters: readonly Chapter[]): ReadonlyMap<string, Buffer> =>
  new Map(
    chapters.map((chapter) => {
      const uri = uriOf(chapter);
      return [uri, membersIn({ contents: [{ uri, mimeType: TYPE, text: chapter.text }] })];
    }),
  );
