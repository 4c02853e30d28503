// What the schema of a policy says about a place in it.
import schema from "../../core/policy.schema.json";

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
}

const whole = schema as Schema;

/** All schemas that may apply at a place: alternatives are listed one by one. */
function spread(part: Schema | undefined): Schema[] {
  if (!part) return [];
  const named = part.$ref?.startsWith("#/$defs/") ? whole.$defs?.[part.$ref.slice("#/$defs/".length)] : undefined;
  const parts = [part.anyOf, part.oneOf, part.allOf].flatMap((list) => list ?? []);
  return [part, ...[...(named ? [named] : []), ...parts].flatMap(spread)];
}

/** The schemas of the value at this place. */
export function schemasAt(path: readonly (string | number)[]): Schema[] {
  let found = spread(whole);
  for (const step of path)
    found = found.flatMap(({ items, properties, additionalProperties }) => {
      if (typeof step === "number") return spread(items);
      const own = properties?.[step];
      return spread(own ?? (typeof additionalProperties === "object" ? additionalProperties : undefined));
    });
  return found;
}

export interface Suggestion {
  label: string;
  info: string;
}

/** The names that an object at this place may have. */
export function namesAt(path: readonly (string | number)[]): Suggestion[] {
  const all = schemasAt(path).flatMap(({ properties = {} }) => Object.entries(properties));
  return unique(all.map(([label, part]) => ({ label, info: describe(part) })));
}

/** The values that may stand at this place, as JSON. */
export function valuesAt(path: readonly (string | number)[]): Suggestion[] {
  const all = schemasAt(path).flatMap(({ enum: listed, const: only, type, description = "" }) => {
    const values = [...(listed ?? []), ...(only === undefined ? [] : [only])];
    if (values.length === 0 && [type].flat().includes("boolean")) values.push(true, false);
    return values.map((value) => ({ label: JSON.stringify(value), info: description }));
  });
  return unique(all);
}

const describe = (part: Schema): string =>
  spread(part)
    .map(({ description }) => description)
    .find((text) => text !== undefined) ?? "";

function unique(all: Suggestion[]): Suggestion[] {
  return [...new Map(all.map((suggestion) => [suggestion.label, suggestion])).values()];
}
