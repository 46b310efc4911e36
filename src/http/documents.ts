import type Koa from 'koa';
import type { DiscoveryDocument } from '../discovery/documents.ts';
import { Refusal } from '../kernel/errors.ts';
import { Document } from './document.ts';
import type { RequestState } from './operations.ts';

const METHODS = ['GET', 'HEAD'];

/** The documents by their path: there are many, and a router would try the pattern of each. */
export function documentRoutes(documents: readonly DiscoveryDocument[]): Koa.Middleware<RequestState> {
  const declared = new Map(documents.map((each) => [each.path, each]));
  const made = new Map<string, Document>();
  const documentOf = ({ path, text }: DiscoveryDocument): Document => {
    const document = made.get(path) ?? new Document(text());
    made.set(path, document);
    return document;
  };
  return async (koa, next) => {
    const found = declared.get(koa.path);
    if (found === undefined) return next();
    if (!METHODS.includes(koa.method)) throw new Refusal('method_not_allowed', { allow: METHODS });
    const { type, headers = {} } = found;
    koa.type = type;
    koa.set(headers);
    const answer = found.answerQuery?.(new URLSearchParams(koa.state.rawQuery));
    if (answer === undefined) await documentOf(found).answer(koa);
    else koa.body = answer;
  };
}
