import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './markdown.ts';

/** Rendered before the first text, whose time limit would else be spent on compiling. */
const SAMPLE =
  '# a\n\n**b** *c* `d` [e](https://f.example/) https://g.example/\n\n- h\n- i\n\n> j\n\n| k |\n|---|\n| l |\n\n```\nm\n```\n\n';
for (let times = 1; times <= 64; times *= 2) renderMarkdown(SAMPLE.repeat(times));

/** A thread that renders what may take long: says that it is ready, then answers each text with its HTML. */
parentPort!.on('message', (text: string) => parentPort!.postMessage(renderMarkdown(text)));
parentPort!.postMessage('ready');
