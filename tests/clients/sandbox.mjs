// Runs programs without a network, without this machine's environment, and with a home of their own.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Stop, which } from "../../scripts/tools.mjs";

const PORT = 4999;
/** The address of the model inside the sandbox. */
export const MODEL = `http://127.0.0.1:${PORT}`;

/** The variables that a program gets, and nothing else of this machine's. */
export const environment = (home, cwd) => ({
  HOME: home,
  PWD: cwd,
  PATH: "/usr/local/bin:/usr/bin:/bin",
  LANG: "C.UTF-8",
  TERM: "dumb",
  USER: "tester",
});

export function checkSandbox() {
  for (const program of ["unshare", "ip", "git"])
    if (!which(program))
      throw new Stop(`the suite needs \`${program}\`; on Debian: apt install util-linux iproute2 git`);
}

/**
 * Runs a plan `{ calls, helpers, programs }` in a sandbox, at most for some seconds. Resolves with why it failed, or with
 * undefined. `folder` gets the plan and the outputs.
 */
export async function runInSandbox(folder, plan, seconds) {
  const file = join(folder, "plan.json");
  const full = { ...plan, port: PORT, output: join(folder, "output.txt"), modelLog: join(folder, "model.jsonl") };
  writeFileSync(file, JSON.stringify(full, null, 2));
  const user = process.getuid() === 0 ? [] : ["--map-root-user"];
  const inside = fileURLToPath(new URL("inside.mjs", import.meta.url));
  const isolate = [...user, "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  // Only `PATH` goes in, for `ip`.
  const child = spawn("unshare", [...isolate, process.execPath, inside, file], {
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaint = "";
  child.stdout.on("data", (part) => (said += part));
  child.stderr.on("data", (part) => (complaint += part));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, seconds * 1000);
  const code = await new Promise((resolve) => child.on("error", resolve).on("close", resolve));
  clearTimeout(timer);
  if (late) return `it did not end within ${seconds} seconds`;
  if (code !== 0) return `the sandbox failed: ${complaint.trim() || code}`;
  const bad = JSON.parse(said).codes.filter((end) => end !== 0);
  return bad.length > 0 ? `it ended with ${bad.join(", ")}` : undefined;
}
