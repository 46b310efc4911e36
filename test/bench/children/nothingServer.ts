import { answering } from './answering.ts';
import { listen } from './listen.ts';

// The floor of HTTP: takes the request, body and all, and answers two bytes.

const url = await listen((request, response) => {
  request.on('end', () => response.end('{}'));
  request.resume();
});
answering({}, url);
