import { hash } from 'node:crypto';

/**
 * An invented harbour log (docs/meter) of at least 4,096 tokens, so that models can cache it. A test fixes its hash.
 */
const SHIPS = ['Amber Heron', 'Bold Lantern', 'Cedar Wake', 'Dry Compass', 'Early Tide', 'Fallow Star', 'Grey Oriole'];
const CARGOES = ['copper wire', 'green timber', 'lamp oil', 'milled rye', 'roof slate', 'salt cod', 'window glass'];
const QUAYS = ['north quay', 'east quay', 'old pier', 'long mole', 'inner basin'];
const REMARKS = [
  'the pilot waited for the tide',
  'two crates were damp and set aside',
  'the seals were found whole',
  'the crew asked for fresh water',
  'nothing was left behind on deck',
  'the scales were tested beforehand',
];
const ENTRIES = 180;

const pick = (list: readonly string[], index: number): string => list[index % list.length]!;

function entry(number: number): string {
  const hour = String((number * 7) % 24).padStart(2, '0');
  const minute = String((number * 13) % 60).padStart(2, '0');
  const crates = 11 + ((number * 37) % 89);
  return `${number}. At ${hour}:${minute} the ${pick(SHIPS, number * 3)} brought ${crates} crates of ${pick(
    CARGOES,
    number * 5,
  )} to the ${pick(QUAYS, number * 2)}; ${pick(REMARKS, number * 11)}.`;
}

const lines = Array.from({ length: ENTRIES }, (_, index) => entry(index + 1));

export const FIXTURE = `Harbour log of a town that does not exist.\n${lines.join('\n')}\n`;

/** SHA-256 of the fixture's UTF-8, lower-case hex. */
export const FIXTURE_HASH = hash('sha256', FIXTURE, 'hex');
