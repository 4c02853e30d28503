// Policies as options give them, and what each reads.
import { presets } from "../generated/presets.js";
import type { Policy, PolicyInputs } from "../generated/types.js";
import { policyInputs } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { badOption } from "./errors.js";
import { own } from "./options.js";

/** Makes something of a policy once, because servers that are created for every request ask for it again. */
function once<T>(make: (policy: Policy) => T): (policy: Policy) => T {
  const made = new WeakMap<Policy, { readonly value: T }>();
  return (policy) => {
    let known = made.get(policy);
    if (!known) made.set(policy, (known = { value: make(policy) }));
    return known.value;
  };
}

const inputs = once((policy) => policyInputs(policy));
const withRequirePathInverted = once(
  (policy): Policy => ({ ...policy, requirePath: own(policy).requirePath === false }),
);

/** Checks a policy and lists what it reads. Throws a RootwiseError that names the faulty field. */
export const inputsOf = (chosen: PresetName | Policy = "recommended"): PolicyInputs => inputs(policyOf(chosen));

/** The policy with the option `requirePath`, which decides the type of a project's path, so that the type is never wrong. */
export function requiringPath(chosen: PresetName | Policy = "recommended", requirePath?: boolean): PresetName | Policy {
  if (requirePath !== undefined && typeof requirePath !== "boolean")
    throw badOption("requirePath", "must be true or false");
  const policy = policyOf(chosen);
  if ((own(policy).requirePath ?? true) === (requirePath ?? true)) return chosen;
  if (requirePath === undefined)
    throw badOption(
      "requirePath",
      "this policy allows projects without a path; pass `requirePath: false`, or `true` to refuse them",
    );
  return withRequirePathInverted(policy);
}

/** The policy that a preset's name stands for; the core reads one without sources as changes to the recommended one. */
export function policyOf(chosen: PresetName | Policy): Policy {
  if (typeof chosen === "object" && chosen !== null && !Array.isArray(chosen)) return chosen;
  if (typeof chosen === "string" && Object.hasOwn(presets, chosen)) return presets[chosen];
  const names = Object.keys(presets).join(", ");
  if (typeof chosen === "string")
    throw badOption("policy", `unknown preset ${JSON.stringify(chosen.slice(0, 60))}; the presets are ${names}`);
  throw badOption("policy", `must be a policy, changes to the recommended one, or one of ${names}`);
}
