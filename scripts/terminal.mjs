// npm run terminal: plays the session of docs/guides/run.md in a terminal, and draws what it shows.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { at, debugBuild, main, prepare, read, Stop, which } from "./tools.mjs";

const help = `npm run terminal --

Plays the session of docs/guides/run.md in a terminal of tmux, and draws what it shows: docs/guides/run.svg.

  --help     print this text`;

/** What a person types; `shop` and `blog` are projects. */
const SESSION = [
  "rootwise call --root shop --tool whereami -- rootwise whereami | grep '^cwd'",
  "rootwise call --root shop --tool whereami -- rootwise run -- rootwise whereami | grep '^cwd'",
  "rootwise call --client cline --root shop --tool whereami -- rootwise run -- rootwise whereami",
  "rootwise call --root shop --tool whereami -- rootwise record session.ndjson -- rootwise whereami > shown",
  "rootwise explain session.ndjson",
];
const WIDTH = 112;
/** Rows of the terminal: more than the session needs. */
const ROWS = 90;
const PROMPT = "$ ";

/** Calls `work` with a folder with the projects, and the environment of somebody who works there. */
async function inFolder(program, work) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-terminal-")));
  try {
    for (const name of ["shop", "blog"]) mkdirSync(join(base, "me", name, ".git"), { recursive: true });
    const env = {
      PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
      HOME: join(base, "home"),
      LANG: "C.UTF-8",
    };
    mkdirSync(env.HOME);
    return (await work(join(base, "me"), env)).replaceAll(base, "/home");
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** What a terminal shows of the session, with its escape sequences. */
export const captured = (program) =>
  inFolder(program, async (cwd, env) => {
    if (!which("tmux")) throw new Stop("tmux is not installed");
    const socket = join(cwd, "..", "tmux");
    const options = { cwd, env: { ...env, TERM: "xterm-256color" } };
    const tmux = (...args) => read("tmux", ["-S", socket, "-f", "/dev/null", ...args], options);
    tmux("new-session", "-d", "-x", WIDTH, "-y", ROWS, "env", `PS1=${PROMPT}`, "sh");
    try {
      for (const line of SESSION) {
        const before = shownPrompts(tmux("capture-pane", "-p"));
        tmux("send-keys", "-l", line);
        tmux("send-keys", "Enter");
        await ended(() => shownPrompts(tmux("capture-pane", "-p")) > before);
      }
      const lines = tmux("capture-pane", "-p", "-e").trimEnd().split("\n");
      // The last one waits for a command.
      return lines.slice(0, -1).join("\n");
    } finally {
      tmux("kill-server");
    }
  });

/** Lines that wait for a command or had one. */
const shownPrompts = (screen) => screen.split("\n").filter((line) => line.startsWith(PROMPT.trim())).length;

async function ended(has) {
  for (let tries = 0; tries < 600; tries++) {
    await sleep(50);
    if (has()) return;
  }
  throw new Stop("a command of the session does not end");
}

/** The same without a terminal, for a comparison. */
export const printed = (program) =>
  inFolder(program, async (cwd, env) =>
    SESSION.map((line) => {
      const { stdout, stderr } = spawnSync("sh", ["-c", `{ ${line}; } 2>&1`], { cwd, env, encoding: "utf8" });
      return `${PROMPT}${line}\n${stdout}${stderr}`;
    }).join(""),
  );

const COLOURS = { 31: "#e57f7f", 32: "#8fce9b", 2: "#8a919c", 1: "#ffffff" };
const [LINE, TOP, LEFT] = [19, 30, 24];

/** A screen with its escape sequences as a picture. */
export function drawn(screen) {
  const lines = screen.split("\n");
  const [width, height] = [Math.round(LEFT * 2 + WIDTH * 7.85), TOP + lines.length * LINE];
  const rows = lines.map((line, index) => {
    const parts = pieces(line).map(({ text, codes }) => {
      const code = [31, 32, 2, 1].find((known) => codes.has(known));
      return code ? `<tspan fill="${COLOURS[code]}">${escaped(text)}</tspan>` : escaped(text);
    });
    const colour = line.startsWith(PROMPT) ? "#8ecbd6" : "#d7dae0";
    return `<text x="${LEFT}" y="${TOP + index * LINE}" fill="${colour}" xml:space="preserve">${parts.join("")}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">`,
    `<rect width="${width}" height="${height}" rx="10" fill="#1d2128"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The pieces of a line that have one style; a sequence of escape changes it for everything after it. */
function pieces(line) {
  let codes = new Set();
  const [first, ...others] = line.split("\u001b[");
  return [`m${first}`, ...others].map((part) => {
    const end = part.indexOf("m");
    for (const code of end > 0 ? part.slice(0, end).split(";").map(Number) : [])
      codes = code === 0 ? new Set() : new Set([...codes, code].filter((one) => !ends(code, one)));
    return { text: part.slice(end + 1), codes };
  });
}

/** Whether a code ends another one: 22 the weight, 39 the colour. */
const ends = (code, one) =>
  (code === 22 && one < 3) || (code === 39 && one >= 30) || (one === code && [22, 39].includes(one));

/** The words of a picture or a text, without times, which differ from run to run, and as if no line were too long. */
export const words = (text) =>
  text
    .replaceAll(/<[^>]*>/g, "\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .replaceAll(/\b\d+ ms\b/g, "… ms")
    .replaceAll(/\s+/g, "");

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  main(async () => {
    const { values } = parseArgs({ options: { help: { type: "boolean" } } });
    if (values.help) return console.log(help);
    await prepare();
    writeFileSync(at("docs", "guides", "run.svg"), drawn(await captured(join(debugBuild(), "rootwise"))));
  });
