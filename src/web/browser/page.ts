/** The script of all pages. Pages work without it. */
import { offerCopies } from './copies.ts';
import { followLanguage } from './examples.ts';
import { followFigures } from './figures.ts';
import { offerFolds } from './folds.ts';
import { followOldLink, offerGuideSearch, showPlace } from './guide.ts';
import { listenToKeys } from './keys.ts';
import { offerReplays } from './replays.ts';
import { tellAges } from './times.ts';

tellAges();
listenToKeys();
offerReplays();
offerFolds();
offerCopies();
followLanguage();
void followOldLink();
offerGuideSearch();
showPlace();
followFigures();
