import { once } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

/** Rows are sent to the server in pieces of this size. */
const CHUNK_CHARACTERS = 64 * 1024;

/** The interface of `pg` to an active query for COPY, which its types do not declare. */
interface CopyConnection {
  readonly stream: Socket;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** Rows in COPY's text format, each with its line end. Their content needs no escapes. */
export type Lines = Iterable<string>;

/** Writes rows by COPY, no faster than the server takes them. */
export async function copyInto(client: pg.Client, table: string, columns: string, lines: Lines): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const query = new pg.Query(`COPY ${table} (${columns}) FROM STDIN`, [], (error?: Error) =>
      error ? reject(error) : resolve(),
    );
    const handlers = {
      handleCopyInResponse: (connection: CopyConnection) => {
        send(connection, lines).catch((error: Error) => connection.sendCopyFail(error.message));
      },
    };
    client.query(Object.assign(query, handlers));
  });
}

async function send(connection: CopyConnection, lines: Lines): Promise<void> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    connection.sendCopyFromChunk(Buffer.from(chunk));
    chunk = '';
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
  }
  connection.sendCopyFromChunk(Buffer.from(chunk));
  connection.endCopyFrom();
}
