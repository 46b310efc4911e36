import { declaredErrors } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum } from '../support/forum.ts';
import { shapeOf } from './support/shapes.ts';
import { assertSnapshot } from './support/snapshot.ts';

describe('the public interface', () => {
  it('/routes.json is as it was', async () => {
    const forum = await startForum();
    try {
      await assertSnapshot('routes', (await new TestAgent(forum.url).anonymous('GET', '/routes.json')).body);
    } finally {
      await forum.stop();
    }
  });

  it('the operations are as they were', async () => {
    const operations = OPERATIONS.map((op) => ({
      name: op.name,
      route: `${op.method} ${op.path}`,
      auth: op.auth,
      status: op.status,
      counter: op.counter,
      mcpTool: op.mcpTool ?? null,
      errors: declaredErrors(op),
      input: shapeOf(op.input),
      output: shapeOf(op.output),
    }));
    await assertSnapshot('operations', operations);
  });
});
