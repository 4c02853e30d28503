// Runs the steps of `npm test`, each in a process of its own whose output goes into a file, and shows what runs and how far it is.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { stripVTControlCharacters } from "node:util";
import { at, bold, dim, green, red, root, seconds, yellow } from "./tools.mjs";

const logFile = (name) => at("target", "logs", `${name}.log`);
const LAST_LINES = 200;
const TERMINAL_MS = 1_000;
const PLAIN_MS = 60_000;
const clear = process.stdout.isTTY ? "\u001b[K" : "";

/** Returns a map from each step to `{ state, time?, why? }`; states are passed, failed, left out and not run. */
export async function runSteps(steps, { absent, keepGoing, verbose }) {
  mkdirSync(at("target", "logs"), { recursive: true });
  const results = new Map(steps.map((step) => [step, { state: "not run" }]));
  const running = new Map();
  const stop = progress(steps, results, running, verbose);
  // Each step leads a process group, so that the programs it started end with it.
  const end = (signal) => {
    for (const { child } of running.values())
      process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
    process.exit(1);
  };
  process.once("SIGINT", end).once("SIGTERM", end);

  const start = (step) => {
    const began = performance.now();
    console.log(`${clear}${bold(`[${steps.indexOf(step) + 1}/${steps.length}] ${step.name}`)}: ${step.what}`);
    const output = verbose ? "inherit" : openSync(logFile(step.name), "w");
    const child = spawn(process.execPath, [at("scripts", "test.mjs"), "--inside", step.name], {
      cwd: root,
      detached: process.platform !== "win32",
      stdio: ["ignore", output, output],
    });
    if (!verbose) closeSync(output);
    const ended = new Promise((resolve) => child.on("close", (code) => resolve(code === 0))).then((passed) => {
      running.delete(step);
      finish(step, { state: passed ? "passed" : "failed", time: seconds(began) });
    });
    running.set(step, { child, began, ended });
  };
  const finish = (step, result) => {
    results.set(step, result);
    if (result.state === "failed" && !verbose) console.log(lastLines(step.name));
    const words = { passed: green("passed"), failed: red("failed"), "left out": yellow("left out") };
    console.log(
      `${clear}${words[result.state]} ${step.name}${result.time ? ` in ${result.time}` : ""}${result.why ? `: ${result.why}` : ""}`,
    );
  };

  const open = new Set(steps);
  for (;;) {
    for (const step of open) {
      const failed = [...results.values()].some(({ state }) => state === "failed");
      if ((failed && !keepGoing) || !isReady(step, results)) continue;
      const why = obstacle(step, results, absent);
      if (!why && !fits(step, [...running.keys()], verbose)) continue;
      open.delete(step);
      if (why) finish(step, { state: "left out", why });
      else start(step);
    }
    if (running.size === 0) break;
    await Promise.race([...running.values()].map(({ ended }) => ended));
  }
  stop();
  return results;
}

/** Whether all steps whose output it uses have ended. */
function isReady(step, results) {
  const ended = ([other, { state }]) => state !== "not run" || !step.after?.includes(other.name);
  return [...results].every(ended);
}

/** Whether a step has room beside others: together they keep at most one processor more busy than there are, so that none is idle while a step waits. */
function fits(step, others, verbose) {
  const busy = [step, ...others].reduce((sum, { processors = 1 }) => sum + processors, 0);
  return others.length === 0 || (!verbose && busy <= availableParallelism() + 1);
}

/** Why a step cannot run, or undefined. */
function obstacle(step, results, absent) {
  const lacking = (step.needs ?? []).filter((name) => absent.includes(name));
  if (lacking.length > 0) return `needs ${lacking.join(" and ")}`;
  const without = [...results]
    .filter(([other, { state }]) => step.after?.includes(other.name) && state === "left out")
    .map(([other]) => other.name);
  return without.length > 0 ? `needs the results of ${without.join(", ")}` : undefined;
}

function lastLines(name) {
  const lines = readFileSync(logFile(name), "utf8").trimEnd().split("\n");
  const shown = lines.slice(-LAST_LINES);
  const cut =
    lines.length > shown.length
      ? dim(`… the first ${lines.length - shown.length} lines are in ${logFile(name)}\n`)
      : "";
  return cut + shown.join("\n");
}

/** Shows the running steps: on a terminal in one line that is rewritten, elsewhere in a line per minute. */
function progress(steps, results, running, verbose) {
  const terminal = process.stdout.isTTY;
  const print = () => {
    if (running.size === 0) return;
    const done = [...results.values()].filter(({ state }) => state !== "not run").length;
    const now = [...running]
      .map(([{ name }, { began }]) => `${name} ${seconds(began)} (${lastLine(name)})`)
      .join(" · ");
    const line = `${done} of ${steps.length} done; running: ${now}`;
    if (terminal) process.stdout.write(`\r\u001b[K${dim(line.slice(0, process.stdout.columns - 1))}\r`);
    else console.log(line);
  };
  const timer = verbose ? undefined : setInterval(print, terminal ? TERMINAL_MS : PLAIN_MS);
  return () => clearInterval(timer);
}

function lastLine(name) {
  const line = readFileSync(logFile(name), "utf8").trimEnd().split("\n").at(-1);
  return stripVTControlCharacters(line).trim().slice(0, 60);
}
