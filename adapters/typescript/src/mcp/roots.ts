// The client's roots as an allow-list: every entry verified.
import { RootwiseError } from "../error.js";
import type { AnnounceRoots, RootsState, RootView } from "../generated/types.js";

/** One of the client's roots, with the result of its check. */
export type RootEntry = RootView;

/** The client's roots, usable or not. */
export interface Roots {
  readonly roots: readonly RootEntry[];
  /** Whether the client has listed its roots at all. */
  readonly answered: boolean;
  /** Whether this is the client's list as far as anybody knows: nothing has reported a change, and it is not too old. */
  readonly current: boolean;
  /** The same in detail. */
  readonly state: RootsState;
  /** The list as a person or a model reads it. */
  readonly text: string;
  /** The reason for which none of the roots can be used on this machine, if that is so. */
  readonly unusable?: string;
}

/** Receives the client's new roots and the previous ones; `undefined` stands for none. */
export type RootsListener = (roots: Roots, previous: Roots | undefined) => void;

/** The roots as the resolver checked them. */
export function rootsOf({ roots, state, answered = true, current, text, unusable }: ListedRoots): Roots {
  return { roots, answered, current, state, text, ...(unusable === undefined ? {} : { unusable }) };
}

/** A list in an answer, or one that is announced because the client has answered. */
type ListedRoots = Pick<AnnounceRoots, "roots" | "state" | "current" | "text"> & {
  readonly answered?: boolean;
  readonly unusable?: string | undefined;
};

/** The roots that can be used on this machine; throws if there are none. */
export function usableRoots({ roots, text, unusable = text }: Roots): (RootEntry & { realPath: string })[] {
  const usable = roots.filter((root): root is RootEntry & { realPath: string } => root.usable === true);
  if (usable.length === 0) throw new RootwiseError("no_roots", unusable);
  return usable;
}
