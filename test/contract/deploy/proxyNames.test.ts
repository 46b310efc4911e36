import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { chooseFreePort } from '../../../src/tools/dev/ports.ts';
import { eventually } from '../../support/waits.ts';
import { runTool, skipWithout } from './support/deployment.ts';

const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The whole example, on two ports of loopback and with a certificate of its own. */
async function exampleIn(directory: string, { http, https }: { http: number; https: number }): Promise<string> {
  return (await readFile('deploy/proxy/nginx.conf', 'utf8'))
    .replaceAll(/^ {4}listen \[.*\n/gm, '')
    .replace('/var/log/nginx/forum.log', join(directory, 'forum.log'))
    .replaceAll('listen 80', `listen 127.0.0.1:${http}`)
    .replaceAll('listen 443', `listen 127.0.0.1:${https}`)
    .replaceAll(/\/etc\/letsencrypt\S*fullchain\.pem/g, join(directory, 'certificate.pem'))
    .replaceAll(/\/etc\/letsencrypt\S*privkey\.pem/g, join(directory, 'key.pem'));
}

describe('the default server of the example of nginx', () => {
  let directory: string;
  let nginx: ChildProcess | undefined;
  let ports: { http: number; https: number };

  before(async function () {
    directory = await mkdtemp(join(tmpdir(), 'forum-nginx-'));
    const program = await runTool('nginx', { probe: ['-v'], args: ['-v'] });
    if (program === undefined) return skipWithout(this, 'nginx');
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem'];
    const certificate = ['-x509', '-subj', '/CN=forum.example', '-days', '1', '-out', 'certificate.pem'];
    const args = ['req', ...key, ...certificate];
    const made = await runTool('openssl', { probe: ['version'], args, cwd: directory });
    if (made === undefined) return skipWithout(this, 'openssl');
    assert.ok(!made.failed, made.output);
    const http = await chooseFreePort([]);
    let https = http;
    while (https === http) https = await chooseFreePort([]);
    ports = { http, https };
    for (const folder of FOLDERS) await mkdir(join(directory, folder));
    const main = [
      process.getuid?.() === 0 ? 'user root;' : '',
      `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events {}`,
      `http { access_log off; ${FOLDERS.map((folder) => `${folder}_temp_path ${directory}/${folder};`).join(' ')}`,
      await exampleIn(directory, ports),
      '}',
    ];
    const file = join(directory, 'nginx.conf');
    await writeFile(file, main.join('\n'));
    nginx = spawn('nginx', ['-e', join(directory, 'error.log'), '-p', directory, '-c', file], { stdio: 'ignore' });
    await eventually(async () => (await answerTo('forum.example')).startsWith('HTTP/1.1 308'));
  });
  after(async () => {
    if (nginx?.exitCode === null) {
      nginx.kill('SIGQUIT');
      await once(nginx, 'exit');
    }
    await rm(directory, { recursive: true });
  });

  /** Everything that nginx answers to a request for a host, or nothing where it closes the connection. */
  function answerTo(host: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(ports.http, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => (answer += String(chunk)));
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
      socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
  }

  /** How a TLS handshake for a name ends. */
  function handshakeFor(servername: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connectTls({ port: ports.https, host: '127.0.0.1', servername, rejectUnauthorized: false });
      socket.once('secureConnect', () => {
        resolve('secure');
        socket.destroy();
      });
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  }

  it('closes the connection of a request for another name', async () => {
    assert.match(await answerTo('forum.example'), /^HTTP\/1\.1 308 /);
    for (const host of ['other.example', '127.0.0.1', 'localhost']) assert.equal(await answerTo(host), '', host);
  });

  it('refuses the TLS handshake for another name', async () => {
    assert.equal(await handshakeFor('forum.example'), 'secure');
    assert.match(await handshakeFor('other.example'), /UNRECOGNIZED_NAME/);
  });
});
