// Builds the clients in other languages on demand: the official Python and Rust clients.
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { debugBuild } from "../../scripts/tools.mjs";
import { at } from "./clients.mjs";

const run = promisify(execFile);

/** A virtual environment with this generation of `mcp`; it is recreated when its requirements change. */
async function python(line) {
  const requirements = at(`python/requirements-${line}.txt`);
  const home = at(`python/.venv/${line}`);
  const done = join(home, "requirements.txt");
  const wanted = readFileSync(requirements, "utf8");
  if (!existsSync(done) || readFileSync(done, "utf8") !== wanted) {
    await run("python3", ["-m", "venv", "--clear", home]);
    await run(join(home, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
    writeFileSync(done, wanted);
  }
  return [join(home, "bin", "python"), "-W", "ignore", at("python/peer.py")];
}

const rust = async () => [join(debugBuild(), "rmcp-client")];

/** The clients by name: how to build each one, and the eras it supports. */
export const peers = {
  "Python mcp 1.x": { command: () => python(1), eras: ["legacy"] },
  "Python mcp 2.x": { command: () => python(2), eras: ["legacy", "modern"] },
  "Rust rmcp": { command: rust, eras: ["legacy", "modern"] },
};

const PATIENCE_MS = 120_000;

/** Lets a peer play scripts; returns the result of each. */
export function play([program, ...args], scripts) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, JSON.stringify(scripts)], { stdio: ["ignore", "pipe", "inherit"], timeout: PATIENCE_MS });
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code !== 0) return reject(new Error(`${program} ended with ${signal ?? `code ${code}`}`));
      resolve(text.trim().split("\n").map((line) => JSON.parse(line)));
    });
  });
}
