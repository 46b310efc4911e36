import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './markdown.ts';

/** Rendered first, so that compilation does not use up the time limit of the first text. */
const SAMPLE =
  '# a\n\n**b** *c* `d` [e](https://f.example/) https://g.example/\n\n- h\n- i\n\n> j\n\n| k |\n|---|\n| l |\n\n```\nm\n```\n\n';
for (let times = 1; times <= 64; times *= 2) renderMarkdown(SAMPLE.repeat(times));

/** A thread that renders long texts: it sends `ready`, then the HTML of each text that it receives. */
parentPort!.on('message', (text: string) => parentPort!.postMessage(renderMarkdown(text)));
parentPort!.postMessage('ready');
