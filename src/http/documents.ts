import type Koa from 'koa';
import type { DiscoveryDocument } from '../discovery/documents.ts';
import { Refusal } from '../operation/errors.ts';
import { lazy } from '../platform/lazy.ts';
import type { Site } from '../web/site.ts';
import type { RequestState } from './request.ts';
import { Document } from './response.ts';
import { ASSET, ASSET_CACHE, PAGE_HEADERS, preferredType } from './site.ts';

const METHODS = ['GET', 'HEAD'];

/** Returns the lookup of documents by path. A router would try the pattern of each of the many documents. */
export function documentFinder(
  documents: readonly DiscoveryDocument[],
): (path: string) => DiscoveryDocument | undefined {
  const index = documents.find(({ isSearchIndex }) => isSearchIndex)!;
  const declared = new Map(documents.filter((each) => each !== index).map((each) => [each.path, each]));
  return (path) => declared.get(path) ?? (ASSET.test(path) && path === index.path ? index : undefined);
}

export function documentRoutes(documents: readonly DiscoveryDocument[], site: Site): Koa.Middleware<RequestState> {
  const index = documents.find(({ isSearchIndex }) => isSearchIndex)!;
  const find = documentFinder(documents);
  const book = lazy(() => ({
    contents: documents.flatMap(({ path, guide }) => (guide ? { path, title: guide.title() } : [])),
    index: index.path,
  }));
  const made = new Map<string, Promise<Document>>();
  const documentOf = ({ path, text, guide, isSearchIndex, passes }: DiscoveryDocument): Promise<Document> => {
    const options = isSearchIndex ? { cacheControl: ASSET_CACHE } : {};
    const making = async () =>
      new Document(
        guide ? await site.guide({ ...guide, title: guide.title(), path, markdown: text() }, book()) : text(),
        options,
      );
    const kept = made.get(path);
    if (kept !== undefined) return kept;
    const document = making();
    if (passes) return document;
    document.catch(() => made.delete(path));
    made.set(path, document);
    return document;
  };
  return async (koa, next) => {
    const named = find(koa.path);
    if (named === undefined) return next();
    if (!METHODS.includes(koa.method)) throw new Refusal('method_not_allowed', { allow: METHODS });
    const twin = named.guide && find(`${named.path}.md`);
    const found = twin && preferredType(koa, 'text/html', 'text/markdown') === 'text/markdown' ? twin : named;
    const { type, guide } = found;
    koa.type = type;
    if (guide) koa.set(PAGE_HEADERS);
    const answer = found.answerQuery?.(new URLSearchParams(koa.state.rawQuery));
    if (answer === undefined) await (await documentOf(found)).answer(koa);
    else koa.body = answer;
    if (twin) koa.vary('accept');
  };
}
