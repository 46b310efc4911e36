import type { VNode } from 'preact';
import type { Session } from './session.ts';

export interface View {
  readonly title: string;
  readonly main: VNode;
  readonly aside?: VNode | undefined;
  /** Seconds after which the browser loads the page again. */
  readonly refresh?: number;
}

/** A page of the console. Its form goes to its own address. */
export interface Screen {
  /** The name in the navigation. Without it the screen is not there. */
  readonly section?: string;
  /** The name of the screen in whose section it is. */
  readonly within?: string;
  isFor(session: Session): boolean;
  /** After a failed submission, `input` is the form. */
  show(session: Session, input: URLSearchParams): Promise<View>;
  /** Returns the address to go to, relative to the console. */
  submit?(session: Session, form: URLSearchParams): Promise<string>;
}

export const forAll = (): boolean => true;
export const forOperator = ({ isOperator }: Session): boolean => isOperator;

/** A relative address. Empty values are left out. */
export function to(name: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? name : `${name}?${new URLSearchParams(given)}`;
}
