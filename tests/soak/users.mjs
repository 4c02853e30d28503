// Ten users whose calls end at any moment, against a server that runs already.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tenUsers } from "../e2e/users.mjs";

const HELP = `Usage: node tests/soak/users.mjs [--rounds N] [--drop-only] URL

URL is the address of an MCP server over HTTP that has the tool "where", which returns the path of the project. In each
of N rounds (default 1) ten users call it, change their roots, and drop or cancel calls at random moments; with
--drop-only they cancel none. Fails if a call that runs to its end names another folder than its user's newest one, or
has to wait.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1" },
    "drop-only": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
const [url] = positionals;
if (values.help || url === undefined) {
  process.stdout.write(`${HELP}\n`);
  process.exit(values.help ? 0 : 2);
}
for (let round = 0; round < Number(values.rounds); round += 1) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-users-")));
  try {
    await tenUsers(url, base, { cancels: !values["drop-only"] });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
