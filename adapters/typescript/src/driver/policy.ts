// The parts of a request, the environment and the command line that a policy reads, worked out once per policy.
import { presets } from "../generated/presets.js";
import type { Policy, SourceKind } from "../generated/types.js";
import { Resolver } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { badOption } from "./errors.js";
import { own } from "./options.js";

/** The inputs that a policy reads. */
export interface PolicyInputs {
  /** As a resolver takes it. */
  readonly policy: PresetName | Policy;
  /** Lower case. */
  readonly headers: readonly string[];
  readonly query: readonly string[];
  /** Places in `_meta`, each as the names that lead to it. */
  readonly meta: readonly (readonly string[])[];
  /** Bytes of the longest value that counts. */
  readonly valueBytes: number;
  readonly env: readonly string[];
  /** Command line options, without dashes. */
  readonly options: readonly string[];
}

/** The limit of a policy that has none of its own. */
const VALUE_BYTES = 8192;

const known = new WeakMap<Policy, PolicyInputs>();

/** Checks a policy and lists what it reads. Throws a RootwiseError that names the faulty field. */
export function policyInputs(chosen: PresetName | Policy = "recommended"): PolicyInputs {
  const policy = policyOf(chosen);
  let inputs = known.get(policy);
  if (!inputs) known.set(policy, (inputs = inputsOf(chosen, policy)));
  return inputs;
}

/** Makes a variant of a policy once, because servers that are created for every request ask for it again. */
function once(change: (policy: Policy) => Policy): (policy: Policy) => Policy {
  const made = new WeakMap<Policy, Policy>();
  return (policy) => {
    let own = made.get(policy);
    if (!own) made.set(policy, (own = change(policy)));
    return own;
  };
}

const otherwise = once((policy) => ({ ...policy, requirePath: own(policy).requirePath === false }));

/** Examines folders for every call: by the next one, a link may lead out of the allowed folders. */
export const rechecking = once((policy) => ({ ...policy, sources: policy.sources.map((source) => ({ recheck: "eachAsk", ...source })) }));

/** The policy with the option `requirePath`, which decides the type of a project's path, so that the type is never wrong. */
export function requiringPath(chosen: PresetName | Policy = "recommended", requirePath?: boolean): PresetName | Policy {
  if (requirePath !== undefined && typeof requirePath !== "boolean") throw badOption("requirePath", "must be true or false");
  const policy = policyOf(chosen);
  if ((own(policy).requirePath ?? true) === (requirePath ?? true)) return chosen;
  if (requirePath === undefined) throw badOption("requirePath", "this policy allows projects without a path; pass `requirePath: false`, or `true` to refuse them");
  return otherwise(policy);
}

/** The policy that a preset's name stands for. */
export function policyOf(chosen: PresetName | Policy): Policy {
  if (typeof chosen === "object" && chosen !== null && Array.isArray(chosen.sources)) return chosen;
  if (typeof chosen === "string" && Object.hasOwn(presets, chosen)) return presets[chosen];
  const names = Object.keys(presets).join(", ");
  if (typeof chosen === "string") throw badOption("policy", `unknown preset ${JSON.stringify(chosen.slice(0, 60))}; the presets are ${names}`);
  throw badOption("policy", `must be a policy with a list of sources, or one of ${names}`);
}

function inputsOf(chosen: PresetName | Policy, policy: Policy): PolicyInputs {
  const { sources, limits } = own(policy);
  // Refuses a broken policy here and not in the first call of a client.
  new Resolver({ policy: chosen, host: { style: "posix" } }).close();
  const reads = (from: SourceKind) => sources.filter((source) => source.from === from).flatMap(({ read = [] }) => read);
  const configured = reads("configured");
  const conditions = sources.flatMap(({ when }) => (when?.argument ? [when.argument] : []));
  return {
    policy: chosen,
    headers: unique(reads("header").map((name) => name.toLowerCase())),
    query: unique(reads("query")),
    meta: unique(reads("meta")).map(namesOf),
    valueBytes: limits?.valueBytes ?? VALUE_BYTES,
    env: unique([...reads("env"), ...configured.filter(isVariable).map((name) => name.slice(1))]),
    options: unique([...configured.filter((name) => !isVariable(name)), ...conditions]),
  };
}

const isVariable = (name: string) => name.startsWith("$");
const unique = (names: string[]) => [...new Set(names)];

/** The names in a JSON pointer. */
const namesOf = (pointer: string) => pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
