// Builds the clients in other languages on demand: the official Python and Rust clients.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { environment } from "../../scripts/python.mjs";
import { debugBuild } from "../../scripts/tools.mjs";
import { at } from "./clients.mjs";

/** The client on this generation of `mcp`, in an environment of its own. */
async function python(line) {
  const packages = readFileSync(at(`python/requirements-${line}.txt`), "utf8")
    .trim()
    .split("\n");
  return [await environment(`mcp-${line}`, packages), "-W", "ignore", at("python/peer.py")];
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
    const child = spawn(program, [...args, JSON.stringify(scripts)], {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: PATIENCE_MS,
    });
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code !== 0) return reject(new Error(`${program} ended with ${signal ?? `code ${code}`}`));
      resolve(
        text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
    });
  });
}
