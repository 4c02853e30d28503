// npm run replay: plays a recorded conversation through the core and shows every step.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { at, bold, cargo, cyan, dim, green, main, prepare, read, Stop, targetFolder, yellow } from "./tools.mjs";

const help = `npm run replay -- [file]

Plays a recorded conversation through the resolver and prints the event and the actions of every step. At the end it
prints the explanation of the chosen project.

  file       a conversation (default: scripts/demo.json); files of tests/vectors work too
  --help     print this text`;

main(async () => {
  const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
  if (values.help) return console.log(help);
  const conversation = load(positionals[0] ?? at("scripts", "demo.json"));
  await prepare();
  console.log("Building the core.");
  await cargo("build", "--quiet", "-p", "rootwise-bindings", "--example", "replay");
  show(conversation, play(conversation));
});

function load(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Stop(`cannot read ${path} as a conversation: ${error.message}`);
  }
}

function play({ machine, policy, host, rootsWatched, steps }) {
  const preset = typeof policy === "string" ? policy : policy?.preset;
  if (preset) policy = merge(load(at("core", "presets", `${preset}.json`)), policy.with);
  const line = JSON.stringify({
    machine,
    options: JSON.stringify({ machine, policy, host, rootsWatched }),
    steps: steps.map(({ event, eventText, restore, save, now = 0 }) => [
      restore || save !== undefined ? null : (eventText ?? JSON.stringify(event)),
      now,
      save?.toString() ?? restore?.idPrefix ?? null,
    ]),
  });
  const replay = join(targetFolder(), "debug", "examples", "replay");
  const [opened, ...outputs] = JSON.parse(read(replay, [], { input: `${line}\n` })).map(JSON.parse);
  if (opened.error) throw new Stop(`cannot open the ${machine ?? "resolver"}: ${opened.error.message}`);
  const explanation = outputs.at(-2);
  return { outputs: outputs.slice(0, -2), explanation };
}

function merge(into, changes) {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(into) || !isObject(changes)) return changes ?? into;
  const merged = { ...into };
  for (const [key, change] of Object.entries(changes)) merged[key] = merge(into[key], change);
  return merged;
}

function show({ title, name, steps }, { outputs, explanation }) {
  console.log(`\n${bold(title ?? name)}\n`);
  for (const [
    index,
    { story, now, event, save, eventText = save === undefined ? "saved and restored" : "saved" },
  ] of steps.entries()) {
    const { actions = [], deadline, error } = outputs[index];
    if (story) console.log(story);
    console.log(
      `${dim(`${String(now ?? "").padStart(6)} ms`)}  ${cyan("in ")}  ${event ? described(event) : eventText}`,
    );
    if (error) console.log(`           ${yellow("out")}  refused: ${error.message}`);
    for (const action of actions) console.log(`           ${green("out")}  ${described(action)}`);
    if (!error && actions.length === 0) console.log(`           ${dim("out  no actions")}`);
    if (deadline != null) console.log(`           ${dim(`     wake up at ${deadline} ms`)}`);
    console.log();
  }
  if (explanation.text) console.log(`${bold("Why this project?")}\n\n${explanation.text}`);
}

/** One line for an event or an action. */
function described({ type, ...fields }) {
  if (type === "answer") {
    const what = fields.project
      ? `${fields.project.path ?? fields.project.name} (from ${fields.project.source})`
      : fields.message;
    return `${bold("answer")} ask ${fields.asks.join(", ")}: ${fields.outcome}${what ? ` ${what}` : ""}`;
  }
  if (type === "announce")
    return `${bold("announce")} ${fields.from?.path ?? "nothing"} -> ${fields.to?.path ?? "nothing"}`;
  if (type === "log") return `${bold("log")} ${fields.level}: ${fields.message}`;
  if (type === "probe") return `${bold("probe")} ${fields.paths.map(({ path }) => path).join(", ")}`;
  if (type === "sendRequest") return `${bold("send")} ${fields.message}`;
  if (type === "cancel") return `${bold("cancel")} ${fields.message}`;
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
  return `${bold(type)}${rest.length > 160 ? `${rest.slice(0, 160)}…` : rest}`;
}
