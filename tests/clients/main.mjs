// npm run clients: runs published clients against servers with Rootwise and compares what they do with core/clients.json.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { programFile } from "../../scripts/platforms.mjs";
import { at, bold, dim, green, main, red, seconds, Stop, yellow } from "../../scripts/tools.mjs";
import { install, installNode, NotInstalled } from "./install.mjs";
import { differences, readRows, update, writeRows } from "./rows.mjs";
import { runClient, servers } from "./run.mjs";
import { checkSandbox } from "./sandbox.mjs";

const help = `npm run clients -- [options]

Installs published clients and gateways from npm and PyPI, runs each in a sandbox without a network against servers with
Rootwise, and compares what it sent, and which project it got, with its row in core/clients.json. Linux on x64 only.
The first run downloads several gigabytes; build the package first with npm start or npm test.

  --only a,b        only these clients
  --list            print the clients, their versions and their rows
  --scratch folder  where clients are installed and run (${join(tmpdir(), "rootwise-clients")})
  --python program  also give three clients the README's Python server, with a Python that has rootwise and fastmcp
  --rust program    also give three clients the README's Rust server: the program that cargo built from it
  --update          write what was seen into core/clients.json; then generate what depends on it (CONTRIBUTING.md)
  --help            print this text

The exit status is 0 if every client did what its row says. tests/clients/README.md says how to add a client.`;

const {
  node: nodeVersion,
  scenarios,
  clients,
} = JSON.parse(readFileSync(new URL("clients.json", import.meta.url), "utf8"));

/** The first turn of some clients does not wait for their servers: on a busy machine it has no tool to call. */
const TRIES = 3;

main(async () => {
  const options = {
    only: { type: "string" },
    list: { type: "boolean" },
    scratch: { type: "string", default: join(tmpdir(), "rootwise-clients") },
    python: { type: "string" },
    rust: { type: "string" },
    update: { type: "boolean" },
    help: { type: "boolean" },
  };
  const { values } = parseArgs({ options });
  if (values.help) return console.log(help);
  const ids = chosen(values.only);
  if (values.list) return list(ids);
  if (process.platform !== "linux" || process.arch !== "x64") throw new Stop("the suite runs on Linux on x64 only");
  if (!existsSync(at("dist", "cjs", "program", "cli.js")) || !existsSync(programFile()))
    throw new Stop("the package is not built: npm start");
  checkSandbox();
  const scratch = resolve(values.scratch);
  mkdirSync(scratch, { recursive: true });
  const rows = readRows();
  const setting = {
    scratch,
    node: installNode(nodeVersion, scratch),
    servers: servers({ python: values.python && resolve(values.python), rust: values.rust && resolve(values.rust) }),
  };
  const done = [];
  for (const [index, id] of ids.entries()) {
    const began = performance.now();
    process.stdout.write(`[${index + 1}/${ids.length}] ${id} … `);
    const result = await check(id, rows, setting);
    done.push(result);
    console.log(`${colour(result.verdict)}${result.why ? `: ${result.why}` : ""} ${dim(seconds(began))}`);
  }
  report(done);
  if (values.update) {
    for (const { id, row, version, seen } of done) if (seen) update(row, id, version, seen);
    writeRows(rows);
    console.log("core/clients.json has what was seen. Read its texts again, then generate the rest: CONTRIBUTING.md.");
  }
  const bad = done.filter(({ verdict }) => verdict === "failed" || (verdict === "differs" && !values.update));
  const leftOut = done.filter(
    ({ id, verdict }) => verdict === "not run" && !clients[id].undriven && process.env.CI === "true",
  );
  if (bad.length + leftOut.length > 0) process.exitCode = 1;
});

function chosen(only) {
  const ids = only?.split(",") ?? Object.keys(clients);
  const unknown = ids.find((id) => !(id in clients));
  if (unknown) throw new Stop(`unknown client \`${unknown}\`; npm run clients -- --list prints all`);
  return ids;
}

function list(ids) {
  for (const id of ids) {
    const { npm, pip, row, undriven } = clients[id];
    console.log(
      `${bold(id.padEnd(24))} ${undriven ? dim(`not run: ${undriven}`) : [npm ?? [], pip ?? []].flat().join(" ")}  ${dim(row)}`,
    );
  }
}

/** Installs and runs a client, and compares what was seen with its row. */
async function check(id, rows, setting) {
  const client = clients[id];
  const row = rows.find((each) => each.client === client.row);
  if (!row) throw new Stop(`core/clients.json has no row \`${client.row}\`, which ${id} names`);
  if (client.undriven) return { id, row, verdict: "not run", why: client.undriven };
  const version = /[@=](\d[\w.-]*)$/.exec((client.npm ?? client.pip)[0])[1];
  let installed;
  try {
    installed = install(client, setting.scratch, setting.node);
  } catch (error) {
    if (error instanceof NotInstalled) return { id, row, version, verdict: "not run", why: error.message };
    throw error;
  }
  const run = async (scenario) => {
    let ran;
    for (let tries = 1; tries <= TRIES && !ran?.seen; tries++) {
      if (tries > 1) process.stdout.write(dim(`(${scenario.name} again: it called no tool) `));
      ran = await runClient({ id, client, scenario, installed, ...setting });
    }
    return ran;
  };
  const usual = await run({ name: "readme", ...scenarios.readme });
  let { seen } = usual;
  if (!seen) return { id, row, version, verdict: "failed", why: why("readme", usual, "it called no tool") };
  if (!client.commands) {
    const report = await run({ name: "whereami", ...scenarios.whereami });
    const choice = report.results.at(-1)?.data?.choices?.[0];
    if (!choice) return { id, row, version, verdict: "failed", why: why("whereami", report, "it got no report") };
    // This server asks for the roots even where it needs none.
    seen = {
      ...seen,
      roots: report.seen.roots,
      project: choice.project ? `${choice.project.path} from ${choice.project.source}` : "none",
    };
    if (seen.capabilities.elicitation) seen.form = (await run({ name: "form", ...scenarios.form })).form;
    const got = usual.results.at(-1);
    const agrees = choice.project ? got.text.endsWith(` is at ${choice.project.path}`) : got.isError;
    if (!agrees)
      return { id, row, version, seen, verdict: "failed", why: why("readme", usual, `it got \`${got.text}\``) };
  }
  for (const [name, scenario] of Object.entries(client.also ?? {})) {
    if (!setting.servers[scenario.server]) {
      process.stdout.write(dim(`(left out: ${name}, which needs --${name}) `));
      continue;
    }
    const problem = unexpected(scenario.expect, await run({ name, ...scenario }));
    if (problem) return { id, row, version, seen, verdict: "failed", why: problem };
  }
  const diff = differences(row, id, version, seen);
  return { id, row, version, seen, diff, verdict: diff.length > 0 ? "differs" : "as its row" };
}

/** Why a scenario did not end as expected: every text must be in the result of its call, every other fact must be equal. */
function unexpected({ results, ...facts }, ran) {
  const { name } = ran;
  for (const [key, value] of Object.entries(facts)) {
    const got = JSON.stringify(ran.seen?.[key]);
    if (got !== JSON.stringify(value)) return why(name, ran, `${key} is ${got}, not ${JSON.stringify(value)}`);
  }
  const wrong = results.findIndex((text, index) => !ran.results[index]?.text.includes(text));
  if (wrong < 0) return undefined;
  return why(
    name,
    ran,
    `result ${wrong + 1} is \`${ran.results[wrong]?.text ?? "missing"}\`, without \`${results[wrong]}\``,
  );
}

const why = (scenario, { problem, folder }, what) =>
  `${scenario}: ${what}${problem ? `; ${problem}` : ""}; see ${folder}`;

const colour = (verdict) => ({ "as its row": green, "not run": yellow })[verdict]?.(verdict) ?? red(verdict);

function report(done) {
  const cells = ({ id, version, seen, verdict }) => {
    const nothing = ["", "", "", "", ""];
    if (!seen) return [id, version, ...nothing, "", verdict];
    if (seen.clients) {
      const got = Object.entries(seen.clients).map(([root, outcome]) => `${root} gets ${outcome}`);
      return [id, version, ...nothing, got.join("; "), verdict];
    }
    const { protocol, capabilities, roots, cwd, env, meta, project } = seen;
    const declared = Object.keys(capabilities).join(", ");
    const answer = Array.isArray(roots) ? roots.join(" ") || "none" : (roots ?? "not asked");
    return [id, version, protocol, declared, answer, [cwd, ...env].join(" "), meta.join(", "), project, verdict];
  };
  const heads = [
    "client",
    "version",
    "protocol",
    "declares",
    "roots",
    "cwd, variables",
    "`_meta`",
    "project",
    "result",
  ];
  console.log(`\n| ${heads.join(" | ")} |\n|${"---|".repeat(heads.length)}`);
  for (const result of done)
    console.log(
      `| ${cells(result)
        .map((text) => text || "–")
        .join(" | ")} |`,
    );
  for (const { id, row, diff } of done.filter((each) => each.diff?.length > 0)) {
    console.log(`\ncore/clients.json, row ${bold(row.client)}, seen.${id}:\n${diff.join("\n")}`);
  }
  for (const { id, verdict, why: reason } of done.filter((each) => each.why))
    console.log(`\n${colour(verdict)}: ${id}: ${reason}`);
  const count = (verdict) => done.filter((each) => each.verdict === verdict).length;
  console.log(
    `\n${count("as its row")} as their row, ${count("differs")} differ, ${count("failed")} failed, ${count("not run")} not run`,
  );
}
