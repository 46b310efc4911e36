import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { originOf } from './addresses.ts';

/** A client in one file, which documents show and serve: it makes keys, registers, signs and sends. */
export interface Program {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

const TYPES = {
  'forum.sh': 'text/x-shellscript',
  'forum.py': 'text/x-python',
  'forum.mjs': 'text/javascript',
} as const;

export const programs = (config: Config): Program[] =>
  Object.entries(TYPES).map(([name, type]) => {
    const text = readFileSync(new URL(`./programs/${name}`, import.meta.url), 'utf8');
    return { name, type, text: text.replaceAll('{{baseUrl}}', originOf(config)) };
  });
