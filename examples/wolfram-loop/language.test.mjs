// Tests the server in the Wolfram Language: Mathics3 runs link/Rootwise.wl, with the library behind LibraryLink. No Wolfram kernel
// ran it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { environment } from "../../scripts/python.mjs";
import {
  answer,
  call,
  changed,
  changedPreset,
  connect,
  folders,
  initialize,
  initialized,
  open,
  play,
  preset,
  request,
  root,
  short,
  timing,
} from "./kit.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
execFileSync("make", ["--silent", "rootwise_link.so"], { cwd: here, stdio: ["ignore", "inherit", "inherit"] });
const run = await environment("mathics", ["Mathics3==10.0.1", "packaging==26.3"]);
const kernel = [join(here, "link/kernel.py"), join(here, "rootwise_link.so")];
const server = (policy = preset) => ({ run, args: [...kernel, policy] });
const options = { timeout: 600_000 };
const hello = [initialize({ roots: {} }), initialized];

test("the functions of the package return values, and errors with their codes", options, () => {
  const code = `{
    RootwiseCall["fileUriToPath", <| "uri" -> "file:///a%20%C3%BC", "style" -> "posix" |>],
    RootwiseCall["fileUriToPath", <| "uri" -> "http://a", "style" -> "posix" |>][[ 1 ]],
    RootwiseOpen[<| "policy" -> 5 |>][[ 1 ]],
    RootwiseHandle[ 7, <| "type" -> "closed" |> ][[ 1 ]],
    Rootwise\`Private\`fromJSON @ Rootwise\`Private\`toJSON @ <| "a" -> { 1, Null, True, "\\:00fc" } |>,
    Rootwise\`Private\`dropNulls @ <| "a" -> 1, "b" -> Null |>,
    Rootwise\`Private\`look /@ { "/", "/no/such/folder" }
  }`;
  assert.deepEqual(JSON.parse(execFileSync(run, [...kernel, "--evaluate", code], { encoding: "utf8" })), [
    "/a ü",
    "not_file_uri",
    "bad_options",
    "used_after_close",
    { a: [1, null, true, "ü"] },
    { a: 1 },
    ["directory", "missing"],
  ]);
});

test(
  "the loop serves requests while it waits, applies the root, and answers batches and large requests [W-11, W-21, W-26]",
  options,
  (t) => {
    const { base, b } = folders(t, "b");
    const odd = join(base, "a ü 日本");
    mkdirSync(odd);
    const text = "x".repeat(2 << 20);
    const batch = `[${[call("x", "directory"), request("y", "ping"), "7"]}]`;
    const { raw } = play(
      [
        ...hello,
        request(2, "tools/list"),
        batch,
        "{not json",
        "\0",
        answer("s-1", root(odd)),
        request("large", "ping", { text }),
        request("too large", "ping", { text: text.repeat(9) }),
        call("no such tool", "nothing"),
        request("ü", "no/such/method"),
        changed,
        answer("s-2", root(b)),
        call("last", "directory"),
      ],
      { cwd: base, ...server() },
    );
    const shown = raw.map((line) =>
      line.startsWith("[") ? JSON.parse(line).map((one) => short(JSON.stringify(one))) : short(line),
    );
    assert.deepEqual(shown, [
      "1: ok",
      "roots/list s-1",
      "2: ok",
      ["y: ok", `x: ${odd}`],
      "large: ok",
      "null: error -32600",
      "no such tool: error -32602",
      "ü: error -32601",
      "roots/list s-2",
      `last: ${b}`,
    ]);
    assert.deepEqual(JSON.parse(raw[2]).result.tools, [
      { name: "directory", description: "The directory", inputSchema: { type: "object" } },
    ]);
  },
);

test(
  "a client that answers late costs one wait, and its root is applied when it arrives [W-16, W-21]",
  options,
  async (t) => {
    const { base, a } = folders(t, "a");
    const { callerTimeoutMs } = timing;
    const policy = changedPreset(base, { timing: { callerTimeoutMs: callerTimeoutMs / 10 } });
    const { send, next, end } = open(t, { cwd: base, ...server(policy) });
    send(...hello, call("waits", "directory"));
    for (const line of ["1: ok", "roots/list s-1", `waits: ${base}`]) assert.equal(short(await next()), line);
    send(call("later", "directory"), answer("s-1", root(a)), call("last", "directory"));
    assert.equal(short(await next()), `later: ${base}`);
    assert.equal(short(await next()), `last: ${a}`);
    assert.match(await end(), new RegExp(`^project_chosen: Set directory to client root: ${a}$`, "m"));
  },
);

test(
  "client 2.x modern: is asked within each call, and an empty list leaves the directory unchanged",
  options,
  async (t) => {
    const { base, a } = folders(t, "a");
    const { call, client, state } = await connect(t, "2.x modern", { cwd: base, roots: [root(a)], ...server() });
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ["directory"],
    );
    assert.equal(await call("directory"), a);
    state.roots = [];
    assert.equal(await call("directory"), a);
    assert.equal(state.asked, 2);
  },
);
