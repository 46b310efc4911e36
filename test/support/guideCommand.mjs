// Runs the command `forum` for the scripts of a guide in one process, because most of a start is spent on loading it.
// `forum` in the folder of the guide (guides.ts) sends its words here.
import { createServer } from 'node:net';

const { runCommandLine } = await import(process.argv[2]);

const server = createServer((socket) => {
  const left = new AbortController();
  let received = '';
  socket
    .setEncoding('utf8')
    .on('error', () => {})
    .on('close', () => left.abort())
    .on('data', async (text) => {
      received += text;
      const [count, ...fields] = received.split('\0');
      // The last field ends with a null character, too.
      if (fields.length <= Number(count)) return;
      const [cwd, url, key, input, ...argv] = fields.slice(0, -1);
      process.chdir(cwd);
      const written = { stdout: '', stderr: '' };
      const code = await runCommandLine(argv, {
        env: { ...process.env, FORUM_URL: url || undefined, FORUM_KEY: key || undefined },
        readStdin: async () => input,
        isTerminal: false,
        isForPeople: false,
        writeStdout: (output) => {
          written.stdout += output;
        },
        writeStderr: (output) => {
          written.stderr += output;
        },
        interrupted: left.signal,
      });
      socket.end(`${code}\n${Buffer.byteLength(written.stdout)}\n${written.stdout}${written.stderr}`);
    });
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
