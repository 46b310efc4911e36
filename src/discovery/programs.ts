import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { originOf } from './addresses.ts';

export interface Program {
  readonly name: string;
  readonly language: string;
  readonly type: string;
  readonly text: string;
}

const PROGRAMS = [
  { name: 'forum.sh', language: 'bash', type: 'text/x-shellscript' },
  { name: 'forum.py', language: 'python', type: 'text/x-python' },
  { name: 'forum.mjs', language: 'js', type: 'text/javascript' },
  { name: 'verify.py', language: 'python', type: 'text/x-python' },
] as const;

export const programs = (config: Config): Program[] =>
  PROGRAMS.map((program) => {
    const text = readFileSync(new URL(`./programs/${program.name}`, import.meta.url), 'utf8');
    return { ...program, text: text.replaceAll('{{baseUrl}}', originOf(config)) };
  });

export const fenced = ({ language, text }: Program): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
