/** The index of search (README.md). Nothing outside this folder imports another file of it. */
export { indexProblem, noteLoss, type SearchDatabases, type SearchDb, searchDatabases } from './databases.ts';
export { indexPosts, rebuildIndex } from './indexing.ts';
