/** What scripts add to a page that is whole without them. */
import { followFigures } from './figures.ts';
import { listenToKeys } from './keys.ts';
import { offerReplays } from './replays.ts';
import { tellAges } from './times.ts';

tellAges();
listenToKeys();
offerReplays();
followFigures();
