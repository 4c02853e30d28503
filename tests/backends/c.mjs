// Builds C programs with the C library in the debug profile, which compiles faster and checks more.
import { mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { at, debugBuild, read, targetFolder } from "../../scripts/tools.mjs";

/** Compiles `c/<name>.c` with the library and returns the path of the program. */
export const program = (name) => compiled(at("tests/backends/c", `${name}.c`));

/** Compiles a file with the library and returns the path of the program. */
export function compiled(file) {
  const library = join(debugBuild(), "librootwise_c.a");
  const folder = join(targetFolder(), "c-programs");
  mkdirSync(folder, { recursive: true });
  const strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g"];
  const made = join(folder, basename(file, ".c"));
  // Another step may run the program at this moment, and a file that runs cannot be written to.
  const fresh = `${made}-${process.pid}`;
  read("cc", [...strict, "-I", at("bindings-c/include"), file, library, "-o", fresh, "-lm", "-lpthread", "-ldl"]);
  renameSync(fresh, made);
  return made;
}

let built;

/** Plays each conversation through the C library and returns its output, as `replay` does for the core. */
export function replayInC(conversations) {
  const input = Buffer.concat(conversations.flatMap(frames));
  built ??= program("replay");
  const output = read(built, [], { input, encoding: "buffer" });
  const said = [[]];
  for (let place = 0; place < output.length; ) {
    const start = output.indexOf("\n", place) + 1;
    place = start + Number(output.subarray(place, start - 1));
    if (place === start) said.push([]);
    else said.at(-1).push(output.toString("utf8", start, place));
  }
  // The library returns a snapshot as it is.
  const wrapped = ({ steps = [], ...conversation }, texts) =>
    texts.map((text, index) =>
      index > 0 && index <= steps.length && isSave(conversation, steps[index - 1])
        ? JSON.stringify({ saved: text })
        : text,
    );
  return said.slice(0, -1).map((texts, index) => wrapped(conversations[index], texts));
}

function frames(conversation) {
  const frame = (letter, now, text) => {
    const bytes = text === null ? undefined : Buffer.from(text);
    return Buffer.concat([Buffer.from(`${letter} ${now} ${bytes?.length ?? -1}\n`), bytes ?? Buffer.alloc(0)]);
  };
  const { options, steps } = conversation;
  if (!steps) return [frame("c", 0, JSON.stringify(conversation)), frame("e", 0, "")];
  const step = ([event, now, argument]) => {
    if (event !== null) return frame("h", now, event);
    return isSave(conversation, [event]) ? frame("s", argument, null) : frame("m", now, argument ?? null);
  };
  return [frame("o", 0, options), ...steps.map(step), frame("e", 0, "")];
}

const isSave = ({ machine }, [event]) => machine === "endpoint" && event === null;
