// The life cycle of a list of roots, as docs/contract.md draws it; a test of the core writes the diagram there.
import type { RootsState } from "rootwise";
import contract from "../../docs/contract.md?raw";

export interface State {
  id: string;
  label: string;
}

export interface Edge {
  from: string;
  to: string;
  label: string;
}

const [, diagram = ""] = /```mermaid\n([\s\S]*?)```/.exec(contract) ?? [];

export const edges: Edge[] = [...diagram.matchAll(/^\s*(\w+) --> (\w+): (.+)$/gm)].map(
  ([, from = "", to = "", label = ""]) => ({ from, to, label }),
);

/** States that only some clients and servers reach; the diagram leaves them out. */
const others: State[] = [
  { id: "undeclared", label: "undeclared" },
  { id: "stale", label: "stale" },
  { id: "several", label: "several clients" },
];

export const states: State[] = [
  ...[...diagram.matchAll(/^\s*(\w+): (.+)$/gm)].map(([, id = "", label = ""]) => ({ id, label })),
  ...others,
];

const IDS: Record<RootsState, string> = {
  notReady: "notready",
  notAsked: "notasked",
  undeclared: "undeclared",
  unsupported: "refused",
  pending: "pending",
  overdue: "overdue",
  timedOut: "timedout",
  failed: "refused",
  empty: "listed",
  allInvalid: "listed",
  ok: "listed",
  stale: "stale",
  severalClients: "several",
};

export const idOf = (state: RootsState): string => IDS[state];

/** The state in words. */
export const wordsOf = (state: RootsState): string =>
  state.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
