/** The script of all pages. Pages work without it. */
import { followFigures } from './figures.ts';
import { offerFolds } from './folds.ts';
import { closeMenus, offerAddresses, offerDensity, offerSettings } from './frame.ts';
import { goToNextNew, listenToKeys } from './keys.ts';
import { rememberReading } from './memory.ts';
import { tellNews } from './news.ts';
import { offerReplays } from './replays.ts';
import { tellAges } from './times.ts';

tellAges();
listenToKeys();
closeMenus();
offerReplays();
offerFolds();
offerAddresses();
offerDensity();
offerSettings();
tellNews(rememberReading(), goToNextNew);
followFigures();
