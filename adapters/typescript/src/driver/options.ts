// Options that cannot work are refused where they are given, not in the first call that needs them.
import { badOption } from "./errors.js";

/** Refuses options that are no object, and names that nobody reads. */
export function checkOptions(options: unknown, known: readonly string[], place = "options"): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) throw badOption(place, "must be an object");
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw badOption(unknown, `unknown option; the options are ${known.join(", ")}`);
}

/** Refuses what cannot be called. */
export function checkFunction(value: unknown, place: string): void {
  if (typeof value !== "function") throw badOption(place, "must be a function");
}
