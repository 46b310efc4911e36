import { parentPort } from 'node:worker_threads';
import { evaluate, parseProgram } from '../../checker/index.ts';

/** A thread of the checker pool: posts `ready`, then the verdict of each text that it receives. */
parentPort!.on('message', (text: string) => {
  const [program, outcomes, answer] = JSON.parse(text) as [unknown, string[], unknown];
  parentPort!.postMessage(evaluate(parseProgram(program, { outcomes }), answer));
});
parentPort!.postMessage('ready');
