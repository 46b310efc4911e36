/** The script of the documentation. Its pages work without it. */
import { offerCopies } from './copies.ts';
import { followLanguage } from './examples.ts';
import { followOldLink, offerGuideSearch, showPlace } from './guide.ts';

offerCopies();
followLanguage();
void followOldLink();
offerGuideSearch();
showPlace();
