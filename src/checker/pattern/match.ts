import type { Branch, Pattern, Term } from './parse.ts';
import { advance, advanceFreely, advanceUpTo, type Positions, runsOf } from './positions.ts';
import type { Subject } from './subject.ts';

/** Like `RegExp.prototype.test` without flags (docs/challenges#patterns). A term maps all its start positions to all
 * its end positions at once. Groups are never quantified, so the cost is pattern times subject; for a count, times the
 * logarithm of the subject. */
export function matchesAnywhere(pattern: Pattern, subject: Subject): boolean {
  return throughBranches(pattern, subject.all(), subject).some((word) => word !== 0);
}

function throughBranches(branches: Pattern, starts: Positions, subject: Subject): Positions {
  const [only, another] = branches;
  if (only !== undefined && another === undefined) return throughBranch(only, starts, subject);
  const ends = subject.none();
  for (const branch of branches) {
    const reached = throughBranch(branch, starts, subject);
    for (let i = 0; i < ends.length; i += 1) ends[i] = ends[i]! | reached[i]!;
  }
  return ends;
}

function throughBranch(branch: Branch, starts: Positions, subject: Subject): Positions {
  let set = starts.slice();
  for (const term of branch) {
    if (term.kind === 'group') set = throughBranches(term.branches, set, subject);
    else if (term.kind === 'assertion') assertAt(term.at, set, subject);
    else repeat(term, set, subject);
  }
  return set;
}

function assertAt(at: (Term & { kind: 'assertion' })['at'], set: Positions, subject: Subject): void {
  const last = set.length - 1;
  switch (at) {
    case 'start':
      set[0] = set[0]! & 1;
      set.fill(0, 1);
      return;
    case 'end':
      set[last] = set[last]! & (1 << (subject.length & 31));
      set.fill(0, 0, last);
      return;
    default: {
      const flip = at === 'inside' ? -1 : 0;
      const boundaries = subject.boundaries();
      for (let i = 0; i < set.length; i += 1) set[i] = set[i]! & (boundaries[i]! ^ flip);
    }
  }
}

function repeat({ units, min, max }: Term & { kind: 'atom' }, set: Positions, subject: Subject): void {
  if (min > subject.length) {
    set.fill(0);
    return;
  }
  const positions = subject.positionsOf(units);
  if (min === 1) advance(set, positions, 1, false);
  else if (min > 1) advance(set, runsOf(positions, min), min, false);
  // More repetitions than units are the same as unlimited.
  if (max >= subject.length) advanceFreely(set, positions);
  else if (max > min) advanceUpTo(set, positions, max - min);
}
