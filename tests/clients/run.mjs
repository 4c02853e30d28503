// One run of one client: its folders, its configuration, its server behind a recorder.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { at } from "../../scripts/tools.mjs";
import { formAnswer, observe, outcomes, readRecording, results } from "./observe.mjs";
import { environment, MODEL, runInSandbox } from "./sandbox.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The commands of the servers. The README's own lines are run, unchanged; those in Python need an interpreter with its packages, and
 * those in Rust the program that cargo made of them.
 */
export function servers({ python, rust }) {
  const blocks = [...readFileSync(at("README.md"), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)];
  const example = (language, name) => {
    const [, , code] = blocks.find(([, of, text]) => of === language && /(\/\/|#) 3,/.test(text));
    // Below the package, a file can import the package by name, like an installed copy.
    const file = at("target", "clients", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return file;
  };
  return {
    notes: [process.execPath, example("ts", "notes.mjs")],
    "notes-sdk1": [process.execPath, here("servers/notes-sdk1.mjs")],
    form: [process.execPath, here("servers/form.mjs")],
    whereami: [process.execPath, at("dist", "cjs", "program", "cli.js"), "whereami"],
    ...(python ? { "notes-python": [python, example("python", "notes.py")] } : {}),
    ...(rust ? { "notes-rust": [rust] } : {}),
  };
}

/** Runs a scenario with an installed client and returns what was seen, and why it failed if it did. */
export async function runClient({ id, client, scenario, installed, node, scratch, servers: commands }) {
  const folder = join(scratch, "runs", id, scenario.name);
  rmSync(folder, { recursive: true, force: true });
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const places = { project: join(folder, "alpha"), second: join(folder, "beta"), home };
  for (const path of [places.project, places.second]) makeProject(path, scenario.marker ?? ".git");
  const recording = join(folder, "recording.jsonl");
  const server = launcher(folder, recording, commands[scenario.server]);
  const [{ tool }] = scenario.calls;
  const values = { ...places, server, tool, node, model: MODEL, prompt: "Where is the project?" };
  values.modules = join(installed, "node_modules");
  values.bin = client.npm ? join(values.modules, ".bin") : join(installed, "bin");
  Object.assign(values, { runner: process.execPath, drivers: here("drivers"), whereami: commands.whereami[1] });
  values.outcomes = join(folder, "outcomes.jsonl");
  for (const [path, content] of Object.entries(client.home ?? {})) {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    const text = fill(content, values);
    writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text, null, 2));
  }
  const env = { ...environment(home, places.project), ...fill(client.env ?? {}, values) };
  const start = (command) => ({ command: fill(command, values), cwd: places.project, env });
  const plan = {
    calls: scenario.calls.flatMap((call) => through(client, call, values)),
    helpers: (client.helpers ?? []).map(({ command, port }) => ({ ...start(command), cwd: "/", port })),
    programs: (client.commands ?? [client.command]).map((command) => ({
      ...start([...command, ...(scenario.args ?? [])]),
      pauseMs: client.commands ? 3000 : 0,
    })),
  };
  const problem = await runInSandbox(folder, plan, client.seconds ?? 90);
  const recorded = readRecording(recording);
  const seen = client.commands ? { clients: outcomes(values.outcomes, places) } : observe(recorded, places);
  return { name: scenario.name, folder, problem, seen, form: formAnswer(recorded), results: results(recorded, places) };
}

/** A folder with a marker of a project, or without one. */
function makeProject(path, marker) {
  mkdirSync(path, { recursive: true });
  if (marker !== ".git") return;
  const git = (...args) => spawnSync("git", ["-C", path, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args]);
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(path, "README.md"), "A project.\n");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
}

/** A program without arguments that is the server to its client; every configuration can name one. */
function launcher(folder, recording, command) {
  const file = join(folder, "server.mjs");
  const call = `record(${JSON.stringify(recording)}, ${JSON.stringify(command)});`;
  writeFileSync(
    file,
    `#!${process.execPath}\nimport { record } from ${JSON.stringify(here("recorder.mjs"))};\n${call}\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** The calls that the model makes for one call: some clients hide tools behind others. */
function through({ hidden }, { tool, arguments: args = {}, afterMs }, values) {
  return (hidden ?? [{ tool: "{tool}", arguments: "{arguments}" }]).map((call) => ({
    afterMs,
    ...fill(call, { ...values, tool, arguments: fill(args, values) }),
  }));
}

/** Puts values in the place of `{name}`; a text that is nothing else becomes the value itself. */
function fill(template, values) {
  if (typeof template === "string") {
    const [, whole] = /^\{(\w+)\}$/.exec(template) ?? [];
    if (whole && whole in values) return values[whole];
    return template.replaceAll(/\{(\w+)\}/g, (text, name) => (name in values ? values[name] : text));
  }
  if (Array.isArray(template)) return template.map((inner) => fill(inner, values));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, fill(inner, values)]));
}
