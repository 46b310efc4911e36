// Runs the programs of a guide one after the other in one process, because most of a start is spent on loading what all
// of them import. Each line of the input is one run. A program that leaves something open keeps this process alive.
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

for await (const line of createInterface({ input: process.stdin })) {
  const [end, file, ...words] = JSON.parse(line);
  process.argv = [process.execPath, resolve(file), ...words];
  await import(`${pathToFileURL(file).href}?${end}`);
  console.log(end);
}
