import { parentPort } from 'node:worker_threads';
import { evaluate, parseProgram } from '../checker/index.ts';

/** One thread of the checker pool: says that it is ready, then answers each text with its verdict. */
parentPort!.on('message', (text: string) => {
  const [program, outcomes, answer] = JSON.parse(text) as [unknown, string[], unknown];
  parentPort!.postMessage(evaluate(parseProgram(program, { outcomes }), answer));
});
parentPort!.postMessage('ready');
