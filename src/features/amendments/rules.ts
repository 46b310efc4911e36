/** What may be proposed (contract 11). Pure. */

export const PROPOSED_TEXT_MAX = 50_000;
