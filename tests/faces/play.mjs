// Plays a conversation on a backend, text in and text out; runs in Node and in a browser.

/** Returns the results of opening and of each step, then the explanation and the snapshot: the same list as the Rust replay. */
export function play(face, { options, steps }) {
  let machine;
  try {
    machine = face.open(options);
  } catch (error) {
    return [failure(error)];
  }
  const said = [text(machine.view())];
  for (const [event, now, prefix] of steps) {
    if (event === null) {
      const saved = machine.snapshot();
      machine.free();
      try {
        machine = face.restore(saved, options, now, prefix ?? undefined);
      } catch (error) {
        return [...said, failure(error)];
      }
      said.push(text(machine.view()));
    } else {
      said.push(text(machine.handle(event, now)));
    }
  }
  said.push(text(machine.explain()), machine.snapshot());
  machine.free();
  return said;
}

/** The reply as JSON: WebAssembly returns the object itself. */
const text = (reply) => (typeof reply === "string" ? reply : JSON.stringify(reply));

const failure = ({ code, message }) => JSON.stringify({ error: { code, message } });
