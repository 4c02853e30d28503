// The schema of policy files says the same as the resolver.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { at } from "../../scripts/tools.mjs";
import { packages } from "./backends.mjs";
import { presets } from "./presets.mjs";

const schema = JSON.parse(readFileSync(at("core/policy.schema.json"), "utf8"));
const fits = new Ajv2020({ allowUnionTypes: true }).compile(schema);

/** The resolver's complaint about a policy, if it has one. */
function complaint(policy) {
  try {
    new packages.native.Resolver({ policy, host: { style: "posix" } }).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Every place of a value, as the list of keys that lead there. */
function* places(value, path = []) {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* places(inner, [...path, key]);
}

const inside = (value, path) => path.reduce((inner, key) => inner[key], value);

/** A copy with another value in one place. */
function changed(policy, path, value) {
  if (path.length === 0) return value;
  const copy = structuredClone(policy);
  inside(copy, path.slice(0, -1))[path.at(-1)] = value;
  return copy;
}

/** Other values for one place: another kind, another word, an unknown member. */
function* others(value) {
  yield* [null, "no such word", true, -1, 0.5, 2 ** 32, {}];
  // The resolver reads a list in place of an object as its members in order, which the schema does not offer.
  if (typeof value !== "object" || value === null || Array.isArray(value)) yield [];
  else yield { ...value, noSuchMember: 1 };
}

/** A policy that writes out every default, so that every field is a place. */
function withDefaults(definition, given = {}) {
  const filled = { ...given };
  for (const [name, property] of Object.entries(definition.properties ?? {})) {
    if (!(name in filled) && property.default !== undefined) filled[name] = structuredClone(property.default);
  }
  return filled;
}

const full = withDefaults(schema, {
  ...presets.recommended,
  $schema: "./node_modules/rootwise/dist/policy.schema.json",
});
full.sources = full.sources.map((source) =>
  withDefaults(schema.$defs.Source, { ...source, onBad: { otherwise: "next", missing: "error" } }),
);

test("the schema accepts every preset and a policy with every default written out", () => {
  for (const [name, policy] of Object.entries({ ...presets, full })) {
    assert.ok(fits(policy), `${name}: ${JSON.stringify(fits.errors)}`);
    assert.equal(complaint(policy), undefined, name);
  }
});

test("whatever is wrong for the schema is wrong for the resolver, and the other way round except for what no schema can say", () => {
  let refused = 0;
  let accepted = 0;
  for (const [name, policy] of Object.entries({ ...presets, full })) {
    for (const path of places(policy)) {
      for (const other of others(inside(policy, path))) {
        // No policy at all means the recommended one.
        if (path.length === 0 && other === null) continue;
        const changedPolicy = changed(policy, path, other);
        const problem = complaint(changedPolicy);
        const where = `${name} with ${JSON.stringify(other)} at /${path.join("/")}: ${problem?.message}`;
        if (!fits(changedPolicy)) {
          assert.ok(problem, `the schema alone refuses ${where}`);
          refused += 1;
        } else if (problem) {
          assert.ok(
            !/invalid type|unknown (field|variant)|missing field|expected/.test(problem.message),
            `the resolver alone refuses ${where}`,
          );
        } else accepted += 1;
      }
    }
  }
  assert.ok(refused > 1000 && accepted > 100, `${refused} refused, ${accepted} accepted`);
});
