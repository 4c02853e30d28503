// What a policy reads, worked out once, so that only that much of a request has to be looked at.
import { RootwiseError } from "../error.js";
import { presets } from "../generated/presets.js";
import type { Policy, SourceKind } from "../generated/types.js";
import type { PresetName } from "../resolver.js";

export interface Profile {
  /** As a resolver takes it. */
  readonly policy: PresetName | Policy;
  /** Lower case. */
  readonly headers: readonly string[];
  readonly query: readonly string[];
  /** Top-level keys of `_meta`. */
  readonly meta: readonly string[];
  readonly env: readonly string[];
  /** Command line options, without dashes. */
  readonly options: readonly string[];
  /** How long a request to the client lives. */
  readonly lifeMs: number;
  /** Whether an answer stays right until something happens. */
  readonly steady: boolean;
  /** Sources below roots: an answer of theirs may change when roots are asked for again. */
  readonly belowRoots: ReadonlySet<SourceKind>;
}

const profiles = new WeakMap<Policy, Profile>();

export function profileOf(chosen: PresetName | Policy = "recommended"): Profile {
  const policy: Policy = typeof chosen === "string" ? preset(chosen) : chosen;
  let profile = profiles.get(policy);
  if (!profile) profiles.set(policy, (profile = work(chosen, policy)));
  return profile;
}

function preset(name: string): Policy {
  if (Object.hasOwn(presets, name)) return presets[name as PresetName];
  const known = Object.keys(presets).join(", ");
  throw new RootwiseError("bad_options", `bad options at policy: there is no preset of that name; there are ${known}`);
}

function work(chosen: PresetName | Policy, { sources, roots, timing, hints }: Policy): Profile {
  const reads = (from: SourceKind) => sources.filter((source) => source.from === from).flatMap(({ read = [] }) => read);
  const configured = reads("configured");
  const gates = sources.flatMap(({ when }) => (when?.argument ? [when.argument] : []));
  const rank = sources.findIndex(({ from }) => from === "roots");
  return {
    policy: chosen,
    headers: unique(reads("header").map((name) => name.toLowerCase())),
    query: unique(reads("query")),
    meta: unique(reads("meta").map(topKey)),
    env: unique([...reads("env"), ...configured.filter(isVariable).map((name) => name.slice(1))]),
    options: unique([...configured.filter((name) => !isVariable(name)), ...gates]),
    lifeMs: timing?.lifeMs ?? 60_000,
    steady:
      roots?.ask !== "eachRequest" &&
      (roots?.maxAgeMs ?? null) === null &&
      (hints ?? []).length === 0 &&
      sources.every(({ recheck }) => recheck !== "eachAsk"),
    belowRoots: new Set(rank < 0 ? [] : sources.slice(rank + 1).map(({ from }) => from)),
  };
}

const isVariable = (name: string) => name.startsWith("$");
const unique = (names: string[]) => [...new Set(names)];

/** The first part of a JSON pointer. */
function topKey(pointer: string): string {
  const [, first = ""] = pointer.split("/");
  return first.replaceAll("~1", "/").replaceAll("~0", "~");
}
