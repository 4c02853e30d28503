// A story: the machine it plays on, and what happens there. It names no ids, so that the same moves can be played with any policy.
import type { HostFacts, Policy, PresetName, SelectBy, Transport } from "rootwise";
import type { DiskChange, Drawing } from "./disk.js";

export interface RootEntry {
  uri: string;
  name?: string;
}

/** A client as it describes itself. */
export interface ClientFacts {
  name: string;
  version?: string;
  protocol: string;
  /** What it declares about roots; absent if it declares none. */
  roots?: { listChanged?: boolean };
  /** Whether it shows forms to its user. */
  forms?: boolean;
}

/** What a call brings with it. */
export interface CallFacts {
  /** The revision; calls from 2026-07-28 on describe their client themselves. */
  modern?: ClientFacts;
  argument?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  meta?: Record<string, unknown>;
  /** Whoever makes the call, as the server has authenticated it. */
  caller?: string;
  /** A path that the call touches. */
  target?: string;
}

export type Move = { note?: string } & (
  | { do: "initialize"; client: ClientFacts }
  | { do: "ready" }
  | ({ do: "call" } & CallFacts)
  /** Answers the request in flight, or repeats the call that needs input; `again` answers the last request once more. */
  | { do: "answer"; roots?: (string | RootEntry)[]; result?: unknown; again?: boolean }
  | { do: "refuse"; code?: number; message?: string }
  /** The user answers the form that is open; without a project by declining it. `result` is a raw answer. */
  | { do: "form"; project?: string; result?: unknown }
  | { do: "changed" }
  | ({ do: "select"; by: SelectBy } & CallFacts)
  | ({ do: "clear" } & CallFacts)
  | { do: "cancel" }
  /** A stream outside calls opens. */
  | { do: "stream" }
  | { do: "break"; end: "broken" | "cut" }
  | { do: "resume" }
  | { do: "wait"; ms: number }
  /** Time passes until the next deadline. */
  | { do: "deadline" }
  | ({ do: "disk" } & DiskChange)
  | { do: "facts"; host: HostFacts }
  | { do: "close" }
);

/** The machine that a story plays on. */
export interface Setup {
  policy: PresetName | Policy;
  host: HostFacts;
  disk: Drawing;
}

/** The end of the last call: the project's folder and source, or the code for which there is none. */
export type Ending = { project: string; source: string } | { code: string };

export interface Story extends Setup {
  id: string;
  title: string;
  /** Two sentences. */
  text: string;
  moves: Move[];
  ends: Ending;
  /** Rules of docs/rules.md, and of docs/endpoint.md with a leading E. */
  rules: (number | string)[];
}

export const transportOf = (host: HostFacts): Transport => host.transport ?? "stdio";
