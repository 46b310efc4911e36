import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './markdown.ts';

/** A thread that renders what may take long: says that it is ready, then answers each text with its HTML. */
parentPort!.on('message', (text: string) => parentPort!.postMessage(renderMarkdown(text)));
parentPort!.postMessage('ready');
