// Random conversations. Ids come from small sets, so that answers often match their requests. Some values are
// arbitrary, because valid input alone finds few bugs.
import fc from "fast-check";
import { presets } from "./presets.mjs";

const oneOf = (...values) => fc.constantFrom(...values);
const maybe = (arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const small = fc.integer({ min: 1, max: 5 });

/** A random id, but usually the last one that the resolver issued: see `Guide`. */
const token = fc.oneof({ weight: 3, arbitrary: fc.constant("latest") }, { weight: 1, arbitrary: small });

const uri = fc.oneof(
  {
    weight: 6,
    arbitrary: oneOf(
      "file:///p/one",
      "file:///p/two",
      "file:///p/one/sub",
      "file:///c%3A/Users/me/x",
      "file:///C:/Users/me/x",
      "file:///",
    ),
  },
  {
    weight: 2,
    arbitrary: oneOf(
      "/p/one",
      "C:\\Users\\me\\x",
      "vscode-remote://h/p",
      "file://host/share",
      "file:///p/%2e%2e/q",
      "${workspaceFolder}",
      "",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const root = fc.oneof(
  { weight: 5, arbitrary: fc.record({ uri, name: fc.string({ maxLength: 6 }) }, { requiredKeys: ["uri"] }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const rootsResult = fc.oneof(
  { weight: 6, arbitrary: fc.record({ roots: fc.array(root, { minLength: 1, maxLength: 4, size: "max" }) }) },
  { weight: 1, arbitrary: fc.jsonValue() },
  {
    weight: 1,
    arbitrary: oneOf(
      { roots: {} },
      { roots: null },
      {},
      JSON.parse('{"__proto__": {"roots": [{"uri": "file:///p/bad"}]}}'),
    ),
  },
);
const facts = fc.record(
  {
    argument: uri,
    server: uri,
    headers: fc.dictionary(oneOf("X-Project-Path", "x-workspace-id", "other"), uri, { maxKeys: 2 }),
    query: fc.dictionary(oneOf("project_path", "project"), uri, { maxKeys: 2 }),
    meta: fc.oneof(fc.jsonValue(), fc.record({ "agent-working-dir": uri })),
    capabilities: oneOf({}, { roots: {} }),
    inputResponses: fc.oneof(
      fc.jsonValue(),
      fc.record({ rootwise: fc.record({ roots: fc.array(root, { maxLength: 2 }) }) }),
    ),
  },
  { requiredKeys: [] },
);
const askVia = oneOf("none", "request", "inputRequired");
const found = oneOf("directory", "directory", "directory", "directory", "file", "missing", "unreadable");
const look = fc.record({ found: fc.array(found, { minLength: 4, maxLength: 4 }), markers: fc.boolean() });
const message = fc.oneof(
  fc
    .record({ jsonrpc: fc.constant("2.0"), id: oneOf("rootwise-1", "rootwise-2", 1, "s-1"), result: rootsResult })
    .map((value) => JSON.stringify(value)),
  fc
    .record({
      jsonrpc: fc.constant("2.0"),
      id: oneOf("rootwise-1", "rootwise-2"),
      error: fc.record({ code: oneOf(-32601, -32603), message: fc.string() }),
    })
    .map((value) => JSON.stringify(value)),
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
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant("clientInitialized"),
        protocolVersion: oneOf("2025-11-25", 7),
        capabilities: oneOf({ roots: {} }, { roots: { listChanged: true } }, {}, null, []),
        clientInfo: oneOf({ name: "claude-ai" }, { name: "cursor" }, 5),
      },
      { requiredKeys: ["type"] },
    ),
  },
  { weight: 4, arbitrary: fc.constant({ type: "clientReady" }) },
  {
    weight: 8,
    arbitrary: fc.record(
      { type: fc.constant("rootsListed"), request: maybe(token), result: rootsResult },
      { requiredKeys: ["type", "result"] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant("requestRefused"),
        request: token,
        kind: oneOf("error", "undeliverable", "unreadable", "abandoned"),
        code: oneOf(-32601, -32603, -32602),
        message: fc.string(),
      },
      { requiredKeys: ["type", "request", "kind"] },
    ),
  },
  { weight: 4, arbitrary: fc.constant({ type: "rootsChanged" }) },
  {
    weight: 9,
    arbitrary: fc.record(
      { type: fc.constant("asked"), ask: small, askVia: oneOf("request", "request", "none") },
      { requiredKeys: ["type", "ask"] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        type: fc.constant("asked"),
        ask: small,
        want: oneOf("project", "roots"),
        askVia,
        facts,
        target: uri,
        explain: fc.boolean(),
      },
      { requiredKeys: ["type", "ask"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        type: fc.constant("selected"),
        ask: small,
        by: fc.oneof(
          uri.map((value) => ({ value })),
          uri.map((path) => ({ path })),
          oneOf({ name: "one" }, { root: "file:///p/one" }),
        ),
        askVia,
        facts,
      },
      { requiredKeys: ["type", "ask", "by"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("selectionCleared"), ask: small }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("askWithdrawn"), ask: small }) },
  { weight: 7, arbitrary: fc.record({ type: fc.constant("probed"), probe: token, look }) },
  { weight: 5, arbitrary: fc.constant({ type: "deadlineReached" }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("message"), text: message }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("hostFactsChanged"),
      facts: fc.record({ style: oneOf("posix", "windows"), cwd: oneOf("/work", "/") }),
    }),
  },
  { weight: 1, arbitrary: oneOf({ type: "closed" }, { type: "rootsChanged" }, { type: "clientReady" }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

const hostOf = (style, cwd, more) =>
  fc.record(
    {
      style: fc.constant(style),
      transport: oneOf("stdio", "stdio", "http", "other"),
      push: fc.boolean(),
      local: fc.boolean(),
      cwd,
      env: fc.dictionary(oneOf("CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS", "PWD", "WORKSPACE_ROOT"), uri, {
        maxKeys: 2,
      }),
      arguments: fc.dictionary(oneOf("project", "workspace_id"), uri, { maxKeys: 1 }),
      ...more,
    },
    { requiredKeys: ["style"] },
  );

export const host = fc.oneof(
  {
    weight: 4,
    arbitrary: hostOf("posix", oneOf("/work", "/", "/home/me"), {
      excludedDirs: fc.constant({ home: ["/home/me"], temporary: ["/tmp"] }),
      allowedDirs: fc.constant(["/p"]),
    }),
  },
  { weight: 1, arbitrary: hostOf("windows", oneOf("C:\\work", "C:\\"), {}) },
);

export const policy = fc.constantFrom(...Object.keys(presets));

const pause = oneOf(0, 0, 1, 10, 250, 5000, 60000);

const handshake = oneOf(
  [],
  [{ type: "clientInitialized", capabilities: { roots: {} } }, { type: "clientReady" }],
  [{ type: "clientInitialized", capabilities: { roots: {} } }, { type: "clientReady" }],
);

/** Events with their times, usually after a handshake. */
export const steps = fc
  .tuple(handshake, fc.array(fc.tuple(event, pause), { maxLength: 30, size: "max" }))
  .map(([handshake, steps]) => {
    let now = 0;
    const later = steps.map(([event, pause]) => ({ event, now: (now += pause) }));
    return [...handshake.map((event) => ({ event, now: 0 })), ...later];
  });

/** Adapts generated events to the latest requests of the resolver. */
export class Guide {
  #request = 1;
  #probe = { probe: 1, paths: [{ path: "/p/one" }] };

  event(event) {
    if (event?.request === "latest") return { ...event, request: this.#request };
    if (event?.type !== "probed" || !event.look) return event;
    const { look, ...rest } = event;
    const probe = event.probe === "latest" ? this.#probe.probe : event.probe;
    const paths = this.#probe.paths.map(({ path, markers = [] }, index) => ({
      path,
      found: look.found[index % look.found.length],
      markers: look.markers ? markers.slice(0, 1) : [],
    }));
    return { ...rest, probe, paths };
  }

  saw(actions = []) {
    for (const action of actions) {
      if (action.type === "sendRequest") this.#request = action.request;
      if (action.type === "probe") this.#probe = action;
    }
  }
}

const scripted = fc.record({
  policy,
  host,
  steps,
  cut: fc.integer({ min: 0, max: 60 }),
  restored: maybe(fc.integer({ min: 0, max: 20 })),
});

/** Conversations as input for a backend, some with restarts and broken texts; `backend` produces the outputs that guide them. */
export const conversations = (backend, options) =>
  fc.sample(scripted, options).map(({ policy, host, steps, cut, restored }) => {
    const conversation = { options: JSON.stringify({ policy: presets[policy], host }), steps: [] };
    const guide = new Guide();
    const machine = backend.open(conversation.options);
    for (const [index, { event, now }] of steps.entries()) {
      if (index === restored) conversation.steps.push([null, now, index % 2 ? "again-" : null]);
      const text = JSON.stringify(guide.event(event));
      conversation.steps.push([index === cut ? text.slice(0, -1) : text, now, null]);
      guide.saw(JSON.parse(machine.handle(text, now)).actions);
    }
    machine.free();
    return conversation;
  });
