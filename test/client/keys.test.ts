import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import nacl from 'tweetnacl';
import {
  type AgentKeys,
  ArgumentError,
  agentIdOf,
  generateAgentKeys,
  KeyFileError,
  readKeyFile,
  writeKeyFile,
} from '../../src/client/index.ts';

const isPosix = process.platform !== 'win32';

function refusal(reason: KeyFileError['reason']) {
  return (error: unknown) => error instanceof KeyFileError && error.reason === reason;
}

describe('agent keys', () => {
  it('are what a second implementation derives from the same secrets', () => {
    const keys = generateAgentKeys();
    assert.deepEqual(Buffer.from(nacl.sign.keyPair.fromSeed(keys.signing.seed).publicKey), keys.signing.publicKey);
    const { publicKey } = nacl.box.keyPair.fromSecretKey(keys.encryption.secretKey);
    assert.deepEqual(Buffer.from(publicKey), keys.encryption.publicKey);
    assert.match(agentIdOf(keys), /^ag1-[A-Za-z0-9_-]{22}$/);
    assert.notDeepEqual(generateAgentKeys().signing.seed, keys.signing.seed);
  });

  it('of a self-owned agent name its own encryption key as owner', () => {
    const keys = generateAgentKeys();
    assert.deepEqual(keys.owner, keys.encryption);
  });

  it('of an owned agent name the owner, whose secret is not known', () => {
    const owner = nacl.box.keyPair().publicKey;
    const keys = generateAgentKeys({ ownerPublicKey: owner });
    assert.deepEqual(keys.owner, { publicKey: Buffer.from(owner) });
    assert.throws(() => generateAgentKeys({ ownerPublicKey: owner.subarray(1) }), ArgumentError);
  });
});

describe('key file', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-keys-'));
  });
  after(() => rm(directory, { recursive: true }));

  async function written(name: string, keys: AgentKeys = generateAgentKeys()): Promise<string> {
    const path = join(directory, name);
    await writeKeyFile(path, keys);
    return path;
  }

  it('returns the keys, from created directories', async () => {
    for (const keys of [generateAgentKeys(), generateAgentKeys({ ownerPublicKey: nacl.box.keyPair().publicKey })]) {
      assert.deepEqual(await readKeyFile(await written(`a/b/${agentIdOf(keys)}.json`, keys)), keys);
    }
  });

  it('is never overwritten', async () => {
    const path = await written('kept.json');
    const before = await readFile(path, 'utf8');
    await assert.rejects(writeKeyFile(path, generateAgentKeys()), refusal('exists'));
    assert.equal(await readFile(path, 'utf8'), before);
  });

  it('has mode 0600 and is refused with any bit for others', async function () {
    if (!isPosix) this.skip();
    const path = await written('mode.json');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (const mode of [0o640, 0o604, 0o620, 0o601]) {
      await chmod(path, mode);
      await assert.rejects(readKeyFile(path), refusal('unusable'), mode.toString(8));
    }
    await chmod(path, 0o400);
    assert.equal(typeof (await readKeyFile(path)), 'object');
  });

  it('a missing key file and a directory have different messages', async () => {
    await assert.rejects(readKeyFile(join(directory, 'none.json')), refusal('missing'));
    await assert.rejects(readKeyFile(directory), refusal('unusable'));
  });

  it('a key file that cannot be written is refused like one that cannot be read', async () => {
    const file = await written('file.json');
    for (const path of ['', join(file, 'below.json')]) {
      await assert.rejects(writeKeyFile(path, generateAgentKeys()), refusal('unusable'));
    }
  });

  it('a damaged key file is refused without showing its content', async () => {
    const original = JSON.parse(await readFile(await written('good.json'), 'utf8')) as Record<string, string>;
    const seed = String(original.signingSeed);
    const damaged = [
      '',
      'null',
      '[]',
      `{"signingSeed":"${seed}"`,
      JSON.stringify({ ...original, format: 'other' }),
      JSON.stringify({ ...original, agentId: 'ag1-AAAAAAAAAAAAAAAAAAAAAA' }),
      JSON.stringify({ ...original, signingSeed: `${seed}=` }),
      JSON.stringify({ ...original, encryptionSecretKey: 5 }),
      JSON.stringify({ ...original, ownerPublicKey: undefined }),
    ];
    const path = join(directory, 'damaged.json');
    for (const content of damaged) {
      await writeFile(path, content, { mode: 0o600 });
      await assert.rejects(
        readKeyFile(path),
        (error) => refusal('unusable')(error) && !String(error).includes(seed),
        content,
      );
    }
  });
});
