import '../support/database.ts';
import { createTemplate } from '../support/template.ts';
import { findKeptServices } from '../support/keptServices.ts';
describe('a', () => { it('b', async () => { console.log(await findKeptServices()); await createTemplate(); }); });
