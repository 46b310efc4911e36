import assert from 'node:assert/strict';
import { assemble, place } from '../../src/web/pieces.ts';

describe('the pieces of a page', () => {
  const text = (render: () => string) => assemble(render).toString();

  it('stand where they were placed, one after the other', () => {
    const [a, b, c] = ['ä', '', '<b>€</b>'].map((each) => Buffer.from(each)) as [Buffer, Buffer, Buffer];
    assert.equal(
      text(() => `·${place(a)}${place(b)}…${place(c)}`),
      '·ä…<b>€</b>',
    );
    assert.equal(
      text(() => place(c)),
      '<b>€</b>',
    );
    assert.equal(
      text(() => 'nothing'),
      'nothing',
    );
    assert.equal(
      text(() => ''),
      '',
    );
  });

  it('may be put together of others, while those around them wait', () => {
    const inner = () => assemble(() => `(${place(Buffer.from('inner'))})`);
    assert.equal(
      text(() => `${place(Buffer.from('1'))} ${place(inner())} ${place(Buffer.from('3'))}`),
      '1 (inner) 3',
    );
  });

  it('are lost with what could not be rendered, and leave nothing to the next', () => {
    const fail = () => {
      place(Buffer.from('lost'));
      throw new Error('no page');
    };
    assert.throws(() => text(fail), /no page/);
    assert.equal(
      text(() => `a${place(Buffer.from('b'))}`),
      'ab',
    );
  });

  it('are as long as they may be', () => {
    const long = Buffer.from('é'.repeat(300_000));
    assert.ok(assemble(() => `x${place(long)}y`).equals(Buffer.from(`x${long}y`)));
    const between = '€'.repeat(100_000);
    assert.equal(
      text(() => `${between}${place(Buffer.from('!'))}`),
      `${between}!`,
    );
  });

  it('are of nobody else: what is made next changes nothing that was made before', () => {
    const first = assemble(() => 'first');
    assemble(() => 'second, which is longer');
    assert.equal(first.toString(), 'first');
  });
});
