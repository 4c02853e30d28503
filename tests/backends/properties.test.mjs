// Properties of the public API that must hold for any sequence of events.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { packages } from "./backends.mjs";
import { Guide, host, policy, steps } from "./sequences.mjs";

const runs = { numRuns: Number(process.env.ROOTWISE_RUNS ?? 300) };
const scenario = fc.record({ policy, host, steps });

/** Opens a resolver if the options are valid; random options sometimes are not. */
function open({ Resolver, RootwiseError }, options) {
  try {
    return new Resolver(options);
  } catch (error) {
    assert.ok(error instanceof RootwiseError && error.code === "bad_options", String(error));
    return undefined;
  }
}

/** Feeds the steps; a refused event must be a RootwiseError that changes nothing. */
function feed(resolver, { RootwiseError }, steps, then = () => {}) {
  const guide = new Guide();
  for (const { event: generated, now } of steps) {
    const event = guide.event(generated);
    const before = resolver.snapshot();
    const { project, deadline } = resolver;
    let actions;
    try {
      actions = resolver.handle(event, now);
    } catch (error) {
      assert.ok(error instanceof RootwiseError, String(error));
      assert.equal(resolver.snapshot(), before);
      assert.equal(resolver.project, project);
      assert.equal(resolver.deadline, deadline);
      continue;
    }
    guide.saw(actions);
    then(event, actions, project);
  }
}

for (const [backend, rootwise] of Object.entries(packages)) {
  const property = (name, check) =>
    test(`${backend}: ${name}`, () => {
      fc.assert(
        fc.property(scenario, ({ policy, host, steps }) => {
          const resolver = open(rootwise, { policy, host });
          if (!resolver) return;
          check(resolver, steps, { policy, host });
          resolver.close();
        }),
        runs,
      );
    });

  property("a refused event changes nothing, and each ask has one answer", (resolver, steps) => {
    const waiting = new Set();
    feed(resolver, rootwise, steps, (event, actions) => {
      if (["asked", "selected", "selectionCleared"].includes(event?.type)) waiting.add(event.ask);
      if (event?.type === "askWithdrawn") waiting.delete(event.ask);
      for (const ask of actions.flatMap(({ type, asks }) => (type === "answer" ? asks : [])))
        assert.ok(waiting.delete(ask), `ask ${ask} was not waiting`);
    });
    // Deadlines alone must answer all waiting asks and then end.
    let turns = 0;
    while (resolver.deadline !== null) {
      assert.ok((turns += 1) < 100, "the deadlines never end");
      const actions = resolver.handle({ type: "deadlineReached" }, resolver.deadline);
      for (const ask of actions.flatMap(({ type, asks }) => (type === "answer" ? asks : [])))
        assert.ok(waiting.delete(ask), `ask ${ask} was not waiting`);
    }
    assert.deepEqual([...waiting], []);
  });

  property("at most one request is in flight, and few actions besides answers", (resolver, steps) => {
    let open;
    feed(resolver, rootwise, steps, (event, actions) => {
      assert.ok(actions.filter(({ type }) => type !== "answer").length <= 8);
      const ends = ["rootsListed", "requestRefused"].includes(event?.type) && event.request === open;
      if (ends || ["closed", "clientInitialized", "message"].includes(event?.type)) open = undefined;
      for (const { type, request } of actions) {
        if (type === "cancel" && request === open) open = undefined;
        if (type === "sendRequest") {
          assert.equal(open, undefined, `request ${request} although ${open} is in flight`);
          open = request;
        }
      }
    });
  });

  property("the project is frozen and the same object until it changes", (resolver, steps) => {
    feed(resolver, rootwise, steps, (_, actions, before) => {
      const { project } = resolver;
      if (project !== null) assert.ok(Object.isFrozen(project) && Object.isFrozen(project.otherRoots ?? project));
      if (JSON.stringify(project) === JSON.stringify(before)) assert.equal(project, before);
      const announced = actions.find(({ type }) => type === "announce");
      if (announced) assert.deepEqual(project, announced.to);
    });
  });

  property("the same events produce the same answers", (resolver, steps, options) => {
    const other = new rootwise.Resolver(options);
    feed(resolver, rootwise, steps, () => {});
    feed(other, rootwise, steps, () => {});
    assert.equal(other.snapshot(), resolver.snapshot());
    assert.deepEqual(other.explain(), resolver.explain());
    other.close();
  });

  property("a restored connection equals the saved one", (resolver, steps, options) => {
    let { host } = options;
    let closed = false;
    feed(resolver, rootwise, steps, (event) => {
      closed ||= event?.type === "closed";
      if (!closed && event?.type === "hostFactsChanged") host = event.facts;
    });
    const last = steps.at(-1)?.now ?? 0;
    const restored = rootwise.Resolver.restore(resolver.snapshot(), { ...options, host }, last);
    assert.deepEqual(restored.project, resolver.project);
    assert.equal(restored.snapshot(), resolver.snapshot());
    restored.close();
  });
}
