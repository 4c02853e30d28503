// The rows of the sequence diagram: what a frame shows on the way between client, server and disk.
import type { Answer, EndpointAction, EndpointEvent, Project } from "rootwise";
import type { Frame } from "./stage.js";

export type Lane = "client" | "server" | "disk";
export type Tone = "plain" | "good" | "waiting" | "bad" | "quiet";

export interface Row {
  frame: number;
  time: number;
  from: Lane;
  /** The same lane for what happens at one place. */
  to: Lane;
  text: string;
  tone: Tone;
}

type Line = Omit<Row, "frame" | "time">;

/** Time that passes without a row of its own. */
const SHORT_MS = 250;

/** The rows of a frame; `before` is the frame that it follows. */
export function rowsOf(frame: Frame, index: number, before: Frame | undefined): Row[] {
  const lines: Line[] = [];
  const passed = frame.now - (before?.now ?? 0);
  if (passed >= SHORT_MS) lines.push(at("server", `${duration(passed)} pass`, "waiting"));
  if (frame.note) lines.push(at("client", frame.note, "quiet"));
  if (frame.disk) lines.push(at("disk", frame.disk, "plain"));
  if (frame.remark) lines.push(at("client", frame.remark, "quiet"));
  for (const { event, output } of frame.steps) {
    lines.push(...ofEvent(event));
    for (const action of output.actions) lines.push(...ofAction(action));
  }
  if (lines.length === 0) lines.push(at("server", "nothing to do", "quiet"));
  return lines.map((line) => ({ frame: index, time: frame.now, ...line }));
}

const arrow = (from: Lane, to: Lane, text: string, tone: Tone = "plain"): Line => ({ from, to, text, tone });
const at = (lane: Lane, text: string, tone: Tone): Line => ({ from: lane, to: lane, text, tone });

function ofEvent(event: EndpointEvent): Line[] {
  switch (event.type) {
    case "sessionOpened":
      return [at("server", `connection over ${event.transport}`, "quiet")];
    case "sessionClosed":
      return [arrow("client", "server", "connection closes")];
    case "clientInitialized": {
      const { name, version } = (event.clientInfo ?? {}) as { name?: string; version?: string };
      const { roots: hasRoots, elicitation: hasForms } = (event.capabilities ?? {}) as Record<string, unknown>;
      const words = [name, version, hasRoots ? "declares roots" : "declares no roots", hasForms && "and forms"].filter(
        Boolean,
      );
      return [arrow("client", "server", `initialize: ${words.join(" ")}`)];
    }
    case "clientReady":
      return [arrow("client", "server", "initialized")];
    case "rootsChanged":
      return [arrow("client", "server", "roots/list_changed")];
    case "callStarted": {
      const brought = [
        ...(event.inputResponses === undefined ? [] : [`again, with ${brings(event.inputResponses)}`]),
        ...(event.caller == null ? [] : [`by ${event.caller}`]),
        ...(event.argument === undefined ? [] : [`argument ${shown(event.argument)}`]),
        ...Object.entries(event.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
        ...Object.entries(event.query ?? {}).map(([name, value]) => `?${name}=${value}`),
        ...(event.meta ? [`_meta ${shown(event.meta)}`] : []),
      ];
      return [arrow("client", "server", `tools/call ${brought.join(", ")}`.trim())];
    }
    case "selected":
      return [at("server", `tool selects ${Object.values(event.by)[0]}`, "plain")];
    case "selectionCleared":
      return [at("server", "tool clears the selection", "plain")];
    case "callEnded":
      return event.cancelled ? [arrow("client", "server", "cancels the call", "bad")] : [];
    case "requestAnswered": {
      const choice = choiceIn(event.result);
      if (choice) return [arrow("client", "server", choice)];
      const roots = (event.result as { roots?: unknown } | null)?.roots;
      const uris = Array.isArray(roots)
        ? roots.map((root) => (root as { uri?: string } | null)?.uri ?? shown(root))
        : [];
      if (!Array.isArray(roots)) return [arrow("client", "server", `unreadable answer: ${shown(event.result)}`, "bad")];
      return [arrow("client", "server", uris.length > 0 ? `roots: ${uris.join(", ")}` : "roots: none", "plain")];
    }
    case "requestRefused":
      return [arrow("client", "server", `error ${event.code ?? ""} ${event.message ?? event.kind}`, "bad")];
    case "channelOpened":
      return [arrow("client", "server", "stream opens")];
    case "channelClosed":
      return [arrow("client", "server", event.end === "cut" ? "stream is cut" : "stream breaks", "bad")];
    case "probed":
      return event.paths.map(({ path, found, realPath, markers, nearest, files }) => {
        const linked = realPath && realPath !== path ? `, leads to ${realPath}` : "";
        const words = { directory: "folder", file: "file", missing: "missing", unreadable: "unreadable" }[found];
        const name = event.paths.length > 1 ? `${path.split(/[\\/]/).at(-1) || path}: ` : "";
        const marked = markers && markers.length > 0 ? `, has ${markers.join(" ")}` : "";
        const repository = nearest
          ? `, ${nearest.name} ${nearest.found === "file" ? "file " : ""}in ${nearest.path}`
          : "";
        const read = files && Object.keys(files).length > 0 ? `, reads ${Object.keys(files).join(" ")}` : "";
        return arrow(
          "disk",
          "server",
          `${name}${words}${linked}${marked}${repository}${read}`,
          found === "directory" ? "plain" : "bad",
        );
      });
    case "deadlineReached":
      return [at("server", "the deadline", "waiting")];
    case "hostFactsChanged":
      return [at("server", "host facts change", "plain")];
    default:
      return [];
  }
}

function ofAction(action: EndpointAction): Line[] {
  switch (action.type) {
    case "answer":
      return ofAnswer(action);
    case "announce":
      return [at("server", `the connection's project: ${folder(action.to)}${changedFrom(action)}`, "good")];
    case "callResult": {
      const methods = Object.values(action.inputRequests ?? {}).map(({ method }) => method);
      return methods.length > 0 ? [arrow("server", "client", `input_required: ${methods.join(", ")}`, "waiting")] : [];
    }
    case "cancel":
      return [arrow("server", "client", `cancels request ${action.request}`, "quiet")];
    case "sendRequest":
      return [
        arrow(
          "server",
          "client",
          `${action.method}${question(action.params) ?? `, request ${action.request}`}`,
          "waiting",
        ),
      ];
    case "probe":
      return action.paths.map(({ path }) => arrow("server", "disk", `looks at ${path}`));
    case "watchRequests":
      return [];
    case "log":
      return [at("server", `log: ${action.message.replaceAll("`", "")}`, "quiet")];
    default:
      return [];
  }
}

function ofAnswer(answer: Answer): Line[] {
  const hints = (answer.hints ?? []).map((hint) => arrow("server", "client", `hint: ${hint}`, "quiet"));
  // The result of the call, which is the next action, shows it.
  if (answer.outcome === "needsInput") return [];
  if (answer.outcome === "resolved" || answer.outcome === "selected") {
    const { source, stale, handle } = answer.project;
    const more = `${stale ? ", stale" : ""}${handle === undefined ? "" : `, handle ${handle}`}`;
    return [arrow("server", "client", `result: ${folder(answer.project)}, from ${source}${more}`, "good"), ...hints];
  }
  if (answer.outcome === "cleared") {
    const now = answer.project
      ? `${folder(answer.project)}, from ${answer.project.source}`
      : `no project: ${answer.code}`;
    return [arrow("server", "client", `selection cleared, now ${now}`, answer.project ? "good" : "bad"), ...hints];
  }
  if (answer.outcome === "listed") return [arrow("server", "client", `lists ${answer.roots.length} roots`, "good")];
  const label = answer.outcome === "refused" ? "refused" : "no project";
  return [arrow("server", "client", `${label}: ${answer.code}`, "bad"), ...hints];
}

/** What a form asks. */
function question(params: Record<string, unknown> | undefined): string | undefined {
  return typeof params?.message === "string" ? `: ${params.message}` : undefined;
}

/** The project before, if there was one; none of it is said twice. */
function changedFrom({ from, shared }: { from: Project | null; shared?: string }): string {
  if (!from) return "";
  return `, before: ${folder(from)}${shared ? ` (the same ${shared})` : ""}`;
}

/** What a repeated call brings. */
function brings(responses: unknown): string {
  const given = Object.values((responses ?? {}) as Record<string, unknown>);
  return given.map((response) => choiceIn(response) ?? "roots").join(" and ");
}

/** What the user answered, if this is an answer to a form. */
function choiceIn(result: unknown): string | undefined {
  const { action, content } = (result ?? {}) as { action?: unknown; content?: { project?: unknown } };
  if (typeof action !== "string") return undefined;
  return action === "accept" ? `the user's choice: ${shown(content?.project)}` : `the user's answer: ${action}`;
}

export const folder = (project: Project | null | undefined): string =>
  project ? (project.path ?? project.clientPath ?? project.name) : "none";

export const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const seconds = ms / 1_000;
  if (seconds < 120) return `${Number(seconds.toFixed(2))} s`;
  return `${Number((seconds / 60).toFixed(1))} min`;
}
