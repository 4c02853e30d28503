// Plays a conversation on a backend, text in and text out; runs in Node and in a browser.

/** The session of an endpoint that is explained and saved at the end. */
const SESSION = 1;

/** Returns the results of opening and of each step, then the explanation and the snapshot: the same list as the Rust replay. */
export function play(backend, { machine: kind, options, steps }) {
  let machine;
  try {
    machine = backend.open(options);
  } catch (error) {
    return [failure(error)];
  }
  const said = [text(machine.view())];
  for (const [event, now, argument] of steps) {
    if (event !== null) {
      said.push(text(machine.handle(event, now)));
    } else if (kind === "endpoint") {
      said.push(JSON.stringify({ saved: machine.snapshot(Number(argument)) }));
    } else {
      const saved = machine.snapshot();
      machine.free();
      try {
        machine = backend.restore(saved, options, now, argument ?? undefined);
      } catch (error) {
        return [...said, failure(error)];
      }
      said.push(text(machine.view()));
    }
  }
  said.push(text(machine.explain(SESSION)), machine.snapshot(SESSION));
  machine.free();
  return said;
}

/** The reply as JSON: WebAssembly returns the object itself. */
const text = (reply) => (typeof reply === "string" ? reply : JSON.stringify(reply));

const failure = ({ code, message }) => JSON.stringify({ error: { code, message } });
