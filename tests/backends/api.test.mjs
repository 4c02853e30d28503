// The public API, on the addon and on WebAssembly.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../scripts/tools.mjs";
import { packages } from "./backends.mjs";
import { presets as written } from "./presets.mjs";

const host = { style: "posix" };
const initialized = { type: "clientInitialized", protocolVersion: "2025-11-25", capabilities: { roots: {} } };
const listed = (...uris) => ({ type: "rootsListed", request: 1, result: { roots: uris.map((uri) => ({ uri })) } });
const probed = (path) => ({ type: "probed", probe: 1, paths: [{ path, found: "directory" }] });

for (const [backend, rootwise] of Object.entries(packages)) {
  const { Resolver, RootwiseError } = rootwise;
  const code = (code) => (error) =>
    error instanceof RootwiseError && error instanceof Error && error.name === "RootwiseError" && error.code === code;

  /** A resolver that has resolved `/p/one`. */
  function resolved() {
    const resolver = new Resolver({ host });
    resolver.handle(initialized, 0);
    resolver.handle({ type: "clientReady" }, 0);
    const [sent] = resolver.handle({ type: "asked", ask: 1 }, 0);
    assert.equal(sent.type, "sendRequest");
    assert.equal(resolver.deadline, 5000);
    resolver.handle(listed("file:///p/one"), 1);
    const [answer] = resolver.handle(probed("/p/one"), 2);
    assert.equal(answer.outcome, "resolved");
    return resolver;
  }

  test(`${backend}: a conversation ends in a project`, () => {
    const resolver = resolved();
    assert.equal(resolver.project.path, "/p/one");
    assert.equal(resolver.deadline, null);
    assert.match(resolver.explain().text, /^Project: one \(\/p\/one\), from roots/);
    resolver.close();
  });

  test(`${backend}: an endpoint serves several sessions`, () => {
    const { Endpoint, policyInputs, commandLine } = rootwise;
    const endpoint = new Endpoint({ host, rootsWatched: undefined });
    for (const session of [1, 2]) {
      endpoint.handle({ type: "sessionOpened", session, transport: "stdio" }, 0);
      endpoint.handle({ ...initialized, session }, 0);
      endpoint.handle({ type: "clientReady", session }, 0);
    }
    const [sent] = endpoint.handle({ type: "asked", ask: 1, session: 2 }, 0).actions;
    assert.deepEqual([sent.type, sent.session, endpoint.deadline], ["sendRequest", 2, 5000]);
    const [probe] = endpoint.handle(
      { ...listed("file:///p/one"), type: "requestAnswered", request: sent.request },
      1,
    ).actions;
    const {
      actions: [answer],
      sessions,
      deadline,
    } = endpoint.handle({ ...probed("/p/one"), probe: probe.probe }, 2);
    assert.deepEqual(
      [answer.outcome, answer.project.path, sessions[0].session, deadline],
      ["resolved", "/p/one", 2, null],
    );
    assert.match(endpoint.explain(2).text, /^Project: one/);
    assert.doesNotMatch(endpoint.explain(1).text, /one/);
    const saved = endpoint.snapshot(2);
    endpoint.handle({ type: "sessionOpened", session: 3, transport: "stdio", saved }, 3);
    assert.throws(
      () => endpoint.handle({ type: "sessionOpened", session: 3, transport: "stdio" }, 3),
      code("duplicate_session"),
    );
    assert.throws(
      () => endpoint.handle({ type: "sessionOpened", session: 4, transport: "stdio", saved: "{}" }, 3),
      code("bad_snapshot"),
    );
    assert.throws(() => endpoint.handle({ type: "deadlineReached" }, "now"), code("bad_event"));
    for (const view of ["explain", "snapshot"]) assert.throws(() => endpoint[view](9), code("closed"));
    endpoint.close();
    endpoint.close();
    assert.throws(() => endpoint.explain(2), code("used_after_close"));
    assert.throws(() => new Endpoint({}), code("bad_options"));
    assert.throws(() => new Endpoint({ host, policy: "nothing" }), code("bad_options"));
    assert.ok(policyInputs().headers.includes("x-project-path"));
    const { type, description } = rootwise.projectParameter();
    assert.deepEqual([type, description.includes("absolute path")], ["string", true]);
    assert.deepEqual(Object.keys(rootwise.readyTools()), ["which", "switch", "list"]);
    assert.deepEqual(policyInputs({ name: "own", sources: [{ from: "query", read: ["a"] }] }).query, ["a"]);
    assert.throws(() => policyInputs({ name: "own", sources: [{ from: "nowhere" }] }), code("bad_options"));
    assert.deepEqual(commandLine(["--other", "--project=/p", "--", "--project=/q"]), { project: "/p" });
  });

  test(`${backend}: the project is one frozen object until it changes`, () => {
    const resolver = resolved();
    const { project } = resolver;
    resolver.handle({ type: "asked", ask: 2 }, 3);
    assert.equal(resolver.project, project);
    assert.ok(Object.isFrozen(project) && Object.isFrozen(project.root));
    resolver.handle({ type: "rootsChanged" }, 300);
    resolver.handle({ ...listed(), request: 2 }, 301);
    assert.equal(resolver.project, null);
    resolver.close();
  });

  test(`${backend}: a snapshot can be restored, and a damaged one is refused`, () => {
    const resolver = resolved();
    const snapshot = resolver.snapshot();
    const restored = Resolver.restore(snapshot, { host }, 100, "other-");
    assert.ok(restored instanceof Resolver);
    assert.deepEqual(restored.project, resolver.project);
    assert.throws(() => Resolver.restore(snapshot.replace("/p/one", "/p/two"), { host }, 100), code("bad_snapshot"));
    assert.throws(() => Resolver.restore("{}", { host }, 100), code("bad_snapshot"));
    assert.throws(() => Resolver.restore(snapshot, { host, policy: "wolfram" }, 100), code("bad_snapshot"));
    assert.throws(() => Resolver.restore(snapshot, { host }, -1), code("bad_event"));
    assert.throws(() => Resolver.restore(undefined, { host }, 0), code("bad_options"));
  });

  test(`${backend}: a closed resolver throws and never crashes`, () => {
    const resolver = resolved();
    resolver.close();
    resolver.close();
    assert.throws(() => resolver.handle({ type: "clientReady" }, 0), code("used_after_close"));
    assert.throws(() => resolver.explain(), code("used_after_close"));
    assert.throws(() => resolver.snapshot(), code("used_after_close"));
    assert.equal(resolver.project, null);
    assert.equal(resolver.deadline, null);
    const disposed = resolved();
    disposed[Symbol.dispose]();
    assert.throws(() => disposed.explain(), code("used_after_close"));
  });

  test(`${backend}: misuse has a code and changes nothing`, () => {
    const resolver = resolved();
    const before = resolver.snapshot();
    const cases = [
      [{ type: "nonsense" }, 5, "bad_event"],
      [{ type: "asked" }, 5, "bad_event"],
      [{ type: "asked", ask: 1.5 }, 5, "bad_event"],
      [{ type: "asked", ask: -1 }, 5, "bad_event"],
      [{ type: "asked", ask: 2 ** 32 }, 5, "bad_event"],
      [{ type: "asked", ask: Number.NaN }, 5, "bad_event"],
      [{ type: "asked", ask: 2n }, 5, "bad_event"],
      [{ type: "probed", probe: 99, paths: [] }, 5, "unknown_probe"],
      [undefined, 5, "bad_event"],
      [null, 5, "bad_event"],
      ["closed", 5, "bad_event"],
      [() => {}, 5, "bad_event"],
    ];
    for (const [event, now, expected] of cases)
      assert.throws(() => resolver.handle(event, now), code(expected), String(event));
    for (const now of [-1, 0.5, Number.NaN, Infinity, 2 ** 53, "7", undefined, null, 7n, {}]) {
      assert.throws(() => resolver.handle({ type: "clientReady" }, now), code("bad_event"), String(now));
    }
    const circular = { type: "clientReady" };
    circular.self = circular;
    assert.throws(() => resolver.handle(circular, 5), code("bad_event"));
    assert.equal(resolver.snapshot(), before);
  });

  test(`${backend}: invalid options name the wrong field`, () => {
    assert.throws(() => new Resolver(), code("bad_options"));
    assert.throws(() => new Resolver({}), code("bad_options"));
    assert.throws(() => new Resolver({ host: { style: "amiga" } }), code("bad_options"));
    assert.throws(() => new Resolver({ host, policy: "nobody" }), code("bad_options"));
    assert.throws(() => new Resolver({ host, policy: "__proto__" }), code("bad_options"));
    assert.throws(
      () => new Resolver({ host, policy: { name: "mine", sources: [] } }),
      (error) => code("bad_options")(error) && /sources/.test(error.message),
    );
  });

  test(`${backend}: keys such as __proto__ do no harm`, () => {
    // Inherited properties are not input.
    const polluted = Object.create({ roots: [{ uri: "file:///p/bad" }] });
    const resolver = resolved();
    resolver.handle({ type: "rootsListed", result: polluted }, 3);
    assert.equal(resolver.project, null);
    // Own properties with unusual names are unknown members.
    const odd = JSON.parse(
      '{"roots": [{"uri": "file:///p/one", "__proto__": {"uri": "file:///p/bad"}}], "__proto__": {"roots": []}, "constructor": 1}',
    );
    const other = resolved();
    other.handle({ type: "rootsListed", result: odd }, 3);
    assert.equal(other.project.path, "/p/one");
    assert.equal({}.roots, undefined);
    assert.equal({}.uri, undefined);
    // An error from a getter becomes the cause of the `bad_event` error.
    assert.throws(
      () =>
        resolver.handle(
          {
            get type() {
              throw new TypeError("mine");
            },
          },
          4,
        ),
      (error) => code("bad_event")(error) && error.cause.message === "mine",
    );
  });

  test(`${backend}: a bad text affects only its own entry`, () => {
    const resolver = new Resolver({ host });
    resolver.handle(initialized, 0);
    resolver.handle({ type: "clientReady" }, 0);
    resolver.handle({ type: "asked", ask: 1 }, 0);
    const roots = [{ uri: "file:///p/\ud800" }, { uri: "file:///p/one", name: "\udfff" }];
    const actions = resolver.handle({ type: "rootsListed", request: 1, result: { roots } }, 1);
    const looked = actions.find(({ type }) => type === "probe").paths.map(({ path }) => path);
    assert.deepEqual(looked, ["/p/one"]);
    resolver.close();
  });

  test(`${backend}: a Windows client of a POSIX server finds its session [T-07]`, () => {
    const { recoverSession } = rootwise;
    const policy = { name: "t", requirePath: false, sources: [{ from: "roots", verify: "none" }] };
    const resolver = new rootwise.Resolver({ policy, host: { style: "posix", transport: "http" } });
    const root = "file:///c%3A/Users/dev/p";
    resolver.handle({ type: "rootsListed", result: { roots: [{ uri: root }] } }, 0);
    const [{ project }] = resolver.handle({ type: "asked", ask: 1, askVia: "none" }, 0);
    assert.deepEqual([project.key, project.style], ["C:\\USERS\\DEV\\P", "windows"]);
    for (const stored of [project, project.key, root, "c:/users/dev/p"]) {
      for (const asked of [project, project.key, root]) {
        const sessions = [{ id: "a", project: stored, updatedAt: 1 }];
        assert.equal(recoverSession({ project: asked, sessions }).sessionId, "a");
      }
    }
  });

  test(`${backend}: functions`, () => {
    const {
      basename,
      fileUriToPath,
      isInside,
      joinInside,
      pathToFileUri,
      projectId,
      projectKey,
      projectSlug,
      recoverSession,
      sanitizeName,
    } = rootwise;
    assert.equal(fileUriToPath("file:///a%20b", "posix"), "/a b");
    assert.equal(fileUriToPath("file:///c%3A/x", "windows"), "C:\\x");
    assert.equal(projectKey("file:///c:/Users", "windows"), "C:\\USERS");
    assert.equal(projectKey("file:///c%3A/Users"), "C:\\USERS");
    assert.equal(projectKey("file:///Users"), "/Users");
    assert.throws(() => fileUriToPath("http://a/", "posix"), code("not_file_uri"));
    assert.throws(() => fileUriToPath("file:///a%2Fb", "posix"), code("encoded_separator"));
    assert.throws(() => fileUriToPath("file:///a", "vms"), code("bad_options"));
    assert.throws(() => fileUriToPath(undefined, "posix"), code("bad_options"));
    assert.equal(isInside("/a", "/a/b", "posix"), true);
    assert.equal(isInside("/a", "/ab", "posix"), false);
    assert.equal(isInside("/a", "/a/b", "posix", { root: "/a", path: "/elsewhere" }), false);
    assert.equal(joinInside("/a", "b/../c", "posix"), "/a/c");
    assert.equal(joinInside(resolved().project, "c", "posix"), "/p/one/c");
    assert.throws(() => joinInside("/a", "../b", "posix"), code("outside"));
    assert.throws(() => joinInside({}, "b", "posix"), code("bad_options"));
    const sessions = [
      { id: "old", project: "file:///p/one", updatedAt: 1 },
      { id: "new", project: "/p/one", updatedAt: 2 },
    ];
    const recovery = recoverSession({ project: "/p/one", sessions });
    assert.deepEqual(recovery, {
      outcome: "newest",
      sessionId: "new",
      otherProject: false,
      candidates: ["new", "old"],
      problems: [],
    });
    assert.deepEqual(recoverSession({ project: resolved().project, sessions }), recovery);
    assert.deepEqual(recoverSession({ project: resolved().project.key, sessions }), recovery);
    assert.equal(recoverSession({ project: " ", sessions: [{ id: "a", project: "" }] }).outcome, "no_project");
    assert.throws(() => recoverSession({ style: "posix", sessions }), code("bad_options"));
    const dated = ["2026-01-31T09:00:00Z", "2026-01-31T09:30:00+01:00"].map((updatedAt, at) => ({
      id: String(at),
      project: "/p/one",
      updatedAt,
    }));
    assert.equal(recoverSession({ project: "/p/one", sessions: dated }).sessionId, "0");
    const unreadable = { id: "a", project: "/p/one", updatedAt: "soon" };
    const found = recoverSession({ project: "/p/one", sessions: [unreadable, ...dated] });
    assert.deepEqual(found.candidates, ["0", "1", "a"]);
    assert.deepEqual(
      found.problems.map(({ sessionId, code }) => [sessionId, code]),
      [["a", "unreadable"]],
    );
    for (const updatedAt of [Number.NaN, Infinity, new Date("soon")]) {
      const { problems } = recoverSession({ project: "/p/one", sessions: [{ id: "b", project: "/p/one", updatedAt }] });
      assert.deepEqual(
        problems.map(({ sessionId, code }) => [sessionId, code]),
        [["b", "unreadable"]],
      );
    }
    assert.equal(recoverSession({ sessionId: "1", sessions: [unreadable, ...dated] }).outcome, "explicit");
    assert.throws(() => recoverSession({ archivedBefore: "soon", sessions }), code("bad_options"));
    assert.equal(basename("C:\\a\\b c\\", "windows"), "b c");
    assert.equal(basename("/", "posix"), undefined);
    assert.equal(pathToFileUri("/a b", "posix"), "file:///a%20b");
    assert.equal(pathToFileUri("b", "posix"), undefined);
    const { project } = resolved();
    assert.equal(projectId(project.key), project.id);
    assert.equal(projectSlug(project), project.slug);
    assert.match(projectSlug({ name: "../../etc", key: "/a" }), /^etc-[0-9a-f]{16}$/);
    assert.equal(sanitizeName("../my project", "word"), "my-project");
    assert.equal(sanitizeName("My Project", "identifier"), "my_project");
    assert.throws(() => sanitizeName("a", "poem"), code("bad_options"));
  });

  test(`${backend}: every preset exists and opens`, () => {
    assert.deepEqual(rootwise.presets, written);
    for (const policy of Object.keys(rootwise.presets)) new Resolver({ policy, host }).close();
    new Resolver({ policy: { ...rootwise.presets.wolfram, name: "mine" }, host }).close();
  });

  test(`${backend}: reports its backend and version`, () => {
    assert.equal(rootwise.backend.kind, backend);
    assert.equal(rootwise.version, JSON.parse(readFileSync(at("package.json"), "utf8")).version);
  });
}
