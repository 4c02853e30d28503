// Users whose calls end at any moment, against a server that runs already.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { callersAt, modernUsers, tenUsers } from "../e2e/users.mjs";

const HELP = `Usage: node tests/soak/users.mjs [--rounds N] [--drop-only | --conversations] [--tool NAME] URL

URL is the address of an MCP server over HTTP that has the tool "where" (or NAME), which returns the path of the project.
In each of N rounds (default 1) ten users call it, change their roots, and drop or cancel calls at random moments; with
--drop-only they cancel none. Fails if a call that runs to its end names another folder than its user's newest one, or
has to wait.

With --conversations, the users are those of revision 2026-07-28, whom the server knows by the header x-user. Each has three
conversations, with the same ids as everybody else's, and a window without one, all at once: they switch the project, pass
handles and drop calls. The server needs the ready-made tools and the parameter "project". Fails if a call works in another
folder than the one that its own conversation selected.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1" },
    "drop-only": { type: "boolean", default: false },
    conversations: { type: "boolean", default: false },
    tool: { type: "string", default: "where" },
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
    if (values.conversations) await modernUsers(base, callersAt(url), { tool: values.tool });
    else await tenUsers(url, base, { tool: values.tool, cancels: !values["drop-only"] });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
// Connections that clients keep open would keep this process.
process.exit();
