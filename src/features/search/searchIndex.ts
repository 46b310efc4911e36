/**
 * The index of search (README.md). Workers and operator commands use it through these functions; searches use it through
 * `indexedPieces`. Nothing outside this folder imports another file of the index.
 */
export { indexProblem, noteLoss, type SearchDatabases, type SearchDb, searchDatabases } from './databases.ts';
export { indexPosts, rebuildIndex } from './indexing.ts';
