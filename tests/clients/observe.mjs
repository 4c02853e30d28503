// What a recording shows: what the client said of itself and of its folders, and which project it got.
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const META = "io.modelcontextprotocol/";
// The shell that starts a client sets them; they say nothing of the client.
const ORDINARY = new Set(["PWD", "OLDPWD", "INIT_CWD"]);

/** Reads a recording; several processes of one server may have written it. */
export function readRecording(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(JSON.parse) : [];
  const processes = new Map();
  for (const { process, ...line } of lines) {
    if (!processes.has(process)) processes.set(process, { ...line, messages: [] });
    else if (line.message)
      processes.get(process).messages.push(...[line.message].flat().map((message) => ({ from: line.from, message })));
  }
  return [...processes.values()];
}

/** The facts of a recording, with `{name}` for the paths of `places`; undefined if no tool was called. */
export function observe(recording, places) {
  const shown = shorten(places);
  const served = recording.filter(({ messages }) => messages.some(isCall)).at(-1);
  if (!served) return undefined;
  const { cwd, env, messages } = served;
  const call = messages.filter(isCall).at(-1).message;
  const meta = call.params._meta ?? {};
  const hello = messages.find(({ message }) => message.method === "initialize")?.message.params;
  const modern = meta[`${META}protocolVersion`] !== undefined;
  return shown({
    name: (modern ? meta[`${META}clientInfo`] : hello?.clientInfo)?.name,
    protocol: modern ? meta[`${META}protocolVersion`] : hello?.protocolVersion,
    capabilities: (modern ? meta[`${META}clientCapabilities`] : hello?.capabilities) ?? {},
    roots: rootsAnswer(messages),
    cwd,
    env: Object.keys(env)
      .filter((name) => !ORDINARY.has(name) && env[name].split(/[:;,]/).includes(places.project))
      .sort(),
    meta: Object.keys(meta)
      .filter((key) => key !== "progressToken" && !key.startsWith(META))
      .sort(),
    folders: pointers(meta, (text) => [places.project, pathToFileURL(places.project).href].includes(text)).sort(),
  });
}

/** The results of all calls, in the order of the calls: the text of each, and whether it is an error. */
export function results(recording, places) {
  const shown = shorten(places);
  return recording.flatMap(({ messages }) => {
    const ids = messages.filter(isCall).map(({ message }) => message.id);
    return messages
      .filter(
        ({ from, message }) =>
          from === "server" && !message.method && ids.includes(message.id) && !message.result?.inputRequests,
      )
      .map(({ message: { result, error } }) =>
        shown({
          text: error?.message ?? result?.content?.map(({ text }) => text).join("\n") ?? "",
          data: result?.structuredContent,
          isError: Boolean(error ?? result?.isError),
        }),
      );
  });
}

/** What the clients of a gateway got, each in the order of the roots: a folder, or the first sentence of an error. */
export function outcomes(file, places) {
  const shown = shorten(places);
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(JSON.parse) : [];
  return Object.fromEntries(
    lines
      .map(({ root, text, isError }) => [
        shown(root),
        isError ? text.split(/[;,.\n]/)[0] : /\{\w+\}/.exec(shown(text))?.[0],
      ])
      .sort(([left], [right]) => left.localeCompare(right)),
  );
}

const isCall = ({ from, message }) => from === "client" && message.method === "tools/call";

/** The URIs that the client answered last, or the error; null if it was not asked. */
function rootsAnswer(messages) {
  const asked = messages.filter(({ message }) => message.method === "roots/list").map(({ message }) => message.id);
  const answers = messages.flatMap(({ from, message }) => {
    if (from !== "client") return [];
    if (message.params?.inputResponses) return Object.values(message.params.inputResponses);
    return !message.method && asked.includes(message.id) ? [message.result ?? message] : [];
  });
  const last = answers.filter(({ roots, error }) => roots ?? error).at(-1);
  return last ? (last.roots?.map(({ uri }) => uri) ?? `error ${last.error.code}`) : null;
}

/** JSON pointers to the strings that fit, also to keys of objects. */
function pointers(value, fits, path = "") {
  if (typeof value === "string") return fits(value) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return [...(fits(key) ? [`${path}/*`] : []), ...pointers(inner, fits, below)];
  });
}

/** Replaces paths in all strings by their names; the longest first, as one may be in another. */
function shorten(places) {
  const known = Object.entries(places).sort(([, left], [, right]) => right.length - left.length);
  const shown = (value) => {
    if (typeof value === "string")
      return known.reduce((text, [name, path]) => text.replaceAll(path, `{${name}}`), value);
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [shown(key), shown(inner)]));
  };
  return shown;
}
