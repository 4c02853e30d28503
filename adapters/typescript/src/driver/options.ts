// Invalid options are refused where they are given, not in the first call that needs them.
import { badOption } from "./errors.js";

/** A copy without inherited properties: another package may have changed `Object.prototype`, which must not decide anything. */
export const own = <T extends object>(of: T): T => Object.assign(Object.create(null), of);

/** Returns the own properties of options. Refuses options that are no object, and names that nobody reads. */
export function ownOptions<T extends object>(options: T, known: readonly string[], place = "options"): T {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw badOption(place, "must be an object");
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw badOption(unknown, `unknown option; the options are ${known.join(", ")}`);
  return own(options);
}

/** Refuses what cannot be called. */
export function checkFunction(value: unknown, place: string): void {
  if (typeof value !== "function") throw badOption(place, "must be a function");
}

/** The members that have a value. */
export function defined<T extends object>(of: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
