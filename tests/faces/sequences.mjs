// Random conversations. Ids come from small sets so that answers often meet their questions, and a share of everything
// is unshaped, because a generator that is always polite finds nothing.
import fc from "fast-check";
import { presets } from "./presets.mjs";

const oneOf = (...values) => fc.constantFrom(...values);
const maybe = (arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const small = fc.integer({ min: 1, max: 5 });

const uri = fc.oneof(
  { weight: 6, arbitrary: oneOf("file:///p/one", "file:///p/two", "file:///p/one/sub", "file:///c%3A/Users/me/x", "file:///C:/Users/me/x", "file:///") },
  { weight: 2, arbitrary: oneOf("/p/one", "C:\\Users\\me\\x", "vscode-remote://h/p", "file://host/share", "file:///p/%2e%2e/q", "${workspaceFolder}", "") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const root = fc.oneof(
  { weight: 5, arbitrary: fc.record({ uri, name: fc.string({ maxLength: 6 }) }, { requiredKeys: ["uri"] }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const rootsResult = fc.oneof(
  { weight: 6, arbitrary: fc.record({ roots: fc.array(root, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: oneOf({ roots: {} }, { roots: null }, {}, JSON.parse('{"__proto__": {"roots": [{"uri": "file:///p/bad"}]}}')) },
);
const facts = fc.record(
  {
    argument: uri,
    host: uri,
    headers: fc.dictionary(oneOf("X-Project-Path", "x-workspace-id", "other"), uri, { maxKeys: 2 }),
    query: fc.dictionary(oneOf("project_path", "project"), uri, { maxKeys: 2 }),
    meta: fc.oneof(fc.jsonValue(), fc.record({ "agent-working-dir": uri })),
    capabilities: oneOf({}, { roots: {} }),
    inputResponses: fc.oneof(fc.jsonValue(), fc.record({ "rootwise.roots": fc.record({ roots: fc.array(root, { maxLength: 2 }) }) })),
  },
  { requiredKeys: [] },
);
const askBy = oneOf("none", "request", "return");
const probed = fc.array(
  fc.record({
    path: oneOf("/p/one", "/p/two", "/p/one/sub", "/", "/work", "C:\\Users\\me\\x"),
    found: oneOf("directory", "directory", "file", "missing", "unreadable"),
    markers: fc.subarray([".git", "package.json"]),
  }),
  { maxLength: 5 },
);
const message = fc.oneof(
  fc.record({ jsonrpc: fc.constant("2.0"), id: oneOf("rootwise-1", "rootwise-2", 1, "s-1"), result: rootsResult }).map((value) => JSON.stringify(value)),
  fc.record({ jsonrpc: fc.constant("2.0"), id: oneOf("rootwise-1", "rootwise-2"), error: fc.record({ code: oneOf(-32601, -32603), message: fc.string() }) }).map((value) => JSON.stringify(value)),
  oneOf(
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"x"}}}',
    '[{"jsonrpc":"2.0","method":"ping","id":7},{"jsonrpc":"2.0","id":"rootwise-1","result":{"roots":[]}}]',
    "",
    "{",
  ),
  fc.string(),
);

const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("clientInitialized"), protocolVersion: oneOf("2025-11-25", 7), capabilities: oneOf({ roots: {} }, { roots: { listChanged: true } }, {}, null, []), clientInfo: oneOf({ name: "claude-ai" }, { name: "cursor" }, 5) }, { requiredKeys: ["type"] }) },
  { weight: 4, arbitrary: fc.constant({ type: "clientReady" }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant("rootsListed"), request: maybe(small), result: rootsResult }, { requiredKeys: ["type", "result"] }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("rootsRefused"), request: small, kind: oneOf("error", "undeliverable", "unreadable", "abandoned"), code: oneOf(-32601, -32603, -32602), message: fc.string() }, { requiredKeys: ["type", "request", "kind"] }) },
  { weight: 4, arbitrary: fc.constant({ type: "rootsChanged" }) },
  { weight: 9, arbitrary: fc.record({ type: fc.constant("asked"), ask: small, want: oneOf("project", "roots"), askBy, facts, about: uri, explain: fc.boolean() }, { requiredKeys: ["type", "ask"] }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("selected"), ask: small, by: fc.oneof(uri.map((value) => ({ value })), uri.map((path) => ({ path })), oneOf({ name: "one" }, { root: "file:///p/one" })), askBy, facts }, { requiredKeys: ["type", "ask", "by"] }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("selectionCleared"), ask: small }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("askWithdrawn"), ask: small }) },
  { weight: 7, arbitrary: fc.record({ type: fc.constant("probed"), probe: small, paths: probed }) },
  { weight: 5, arbitrary: fc.constant({ type: "deadlineReached" }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("message"), text: message }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("hostFactsChanged"), facts: fc.record({ style: oneOf("posix", "windows"), cwd: oneOf("/work", "/") }) }) },
  { weight: 1, arbitrary: fc.constant({ type: "closed" }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

export const host = fc.record(
  {
    style: oneOf("posix", "posix", "windows"),
    transport: oneOf("stdio", "http", "other"),
    push: fc.boolean(),
    local: fc.boolean(),
    cwd: oneOf("/work", "/", "C:\\work", "relative"),
    env: fc.dictionary(oneOf("CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS", "PWD", "WORKSPACE_ROOT"), uri, { maxKeys: 2 }),
    arguments: fc.dictionary(oneOf("project", "workspace_id"), uri, { maxKeys: 1 }),
    places: fc.constant({ home: "/home/me", temporary: ["/tmp"] }),
    allowed: fc.constant(["/p"]),
  },
  { requiredKeys: ["style"] },
);

export const policy = fc.constantFrom(...Object.keys(presets));

const pause = oneOf(0, 0, 1, 10, 250, 5000, 60000);

/** Events with the time that passed before each. */
export const steps = fc.array(fc.tuple(event, pause), { maxLength: 30 }).map((steps) => {
  let now = 0;
  return steps.map(([event, pause]) => ({ event, now: (now += pause) }));
});

/** As a face takes it, with a share of restarts and broken texts in between. */
export const conversation = fc
  .record({ policy, host, steps, cut: fc.integer({ min: 0, max: 60 }), restored: maybe(fc.integer({ min: 0, max: 20 })) })
  .map(({ policy, host, steps, cut, restored }) => {
    const texts = steps.map(({ event, now }, index) => [index === cut ? JSON.stringify(event).slice(0, -1) : JSON.stringify(event), now, null]);
    if (restored !== undefined && restored < texts.length) texts.splice(restored, 0, [null, texts[restored][1], restored % 2 ? "again-" : null]);
    return { options: JSON.stringify({ policy: presets[policy], host }), steps: texts };
  });
