// A report about a client: text for people and models, data for programs.
import { presets } from "../generated/presets.js";
import { version } from "../generated/version.js";
import type { Explanation, Policy, Project, RootsState, RootView } from "../generated/types.js";
import { Connection } from "../driver/connection.js";
import { Undeliverable } from "../driver/errors.js";
import { shown } from "../driver/display.js";
import { hostFacts } from "../driver/host.js";
import { attempt } from "../driver/surroundings.js";
import { commandLine } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { signals, type Signals } from "./environment.js";

/** Everything known about a client and its call. */
export interface Seen {
  readonly client: unknown;
  readonly protocol: string | undefined;
  readonly era: "legacy" | "modern";
  readonly capabilities: unknown;
  readonly transport: "stdio" | "http";
  readonly roots: { readonly roots: readonly RootView[]; readonly state: RootsState };
  readonly waitedMs: number;
  readonly meta: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface Choice {
  readonly preset: string;
  readonly project: Pick<Project, "name" | "path" | "source" | "via"> | null;
  readonly why: string;
}

export interface Report extends Seen {
  readonly environment: Signals;
  readonly cwd: string | undefined;
  readonly arguments: Record<string, string>;
  readonly choices: readonly Choice[];
}

export async function report(seen: Seen): Promise<Report> {
  const names = Object.keys(presets) as PresetName[];
  const order = ["recommended" as PresetName, ...names.filter((name) => name !== "recommended")];
  return {
    ...seen,
    environment: signals(process.env),
    cwd: attempt(() => process.cwd()),
    arguments: commandLine(process.argv.slice(2)),
    choices: await Promise.all(order.map((preset) => choose(preset, seen))),
  };
}

/** Gives a preset everything that is known and lets it choose; the client is not asked again. */
async function choose(preset: PresetName, seen: Seen): Promise<Choice> {
  const { transport, capabilities, client: clientInfo, headers, query, meta = {} } = seen;
  const policy: Policy = presets[preset];
  const sender = { send: async () => listed(seen) };
  const connection = new Connection({
    policy,
    requirePath: policy.requirePath,
    host: { ...hostFacts(transport, { policy }), local: true },
    sender,
  });
  try {
    connection.initialized({ capabilities, clientInfo });
    connection.ready();
    // Once the roots are known, the other sources are compared with them.
    await connection.question({ type: "asked", want: "roots" });
    const answer = await connection.question(
      { type: "asked", explain: true },
      { headers: { ...headers }, query: { ...query }, meta },
    );
    const project = answer.outcome === "resolved" ? answer.project : null;
    const why = project ? `from ${place(project)}` : ((answer as { message?: string }).message ?? answer.outcome);
    return { preset, project: project && slim(project), why: project ? why + losers(answer.explanation) : why };
  } finally {
    connection.close();
  }
}

/** The client's roots as it listed them, if it did. */
function listed({ roots: { roots, state } }: Seen): object {
  if (state !== "ok" && state !== "empty" && state !== "allInvalid")
    throw new Undeliverable("the client did not list its roots");
  return { roots: roots.map(({ uri, name }) => ({ uri, name })) };
}

const slim = ({ name, path, source, via }: Project) => ({
  name,
  source,
  ...(path ? { path } : {}),
  ...(via ? { via } : {}),
});
const place = ({ source, via }: Pick<Project, "source" | "via">) => (via ? `${source} (${via})` : source);

/** Which sources would have chosen otherwise. */
function losers(explanation: Explanation | undefined): string {
  const others = (explanation?.tried ?? [])
    .filter(({ verdict }) => verdict === "disagrees")
    .map(({ source, via }) => place(via ? { source, via } : { source }));
  return others.length > 0 ? `; ${others.join(" and ")} would give another project` : "";
}

/** The report as plain lines. */
export function rendered(report: Report): string {
  const { client, protocol, era, transport, capabilities, roots, environment, choices } = report;
  const { name = "unknown", version: clientVersion = "" } = (client ?? {}) as { name?: string; version?: string };
  const lines = [
    "# Where am I?",
    "",
    `client      ${oneLine(`${name} ${clientVersion}`)}`,
    `protocol    ${protocol ?? "unknown"} (${era}), over ${transport}`,
    `server      rootwise ${version}, Node ${process.versions.node}`,
    `declares    ${
      Object.keys((capabilities ?? {}) as object)
        .sort()
        .join(", ") || "nothing"
    }`,
    "",
    `## Roots: ${roots.state}, ${report.waitedMs} ms`,
    ...(roots.roots.length > 0
      ? roots.roots.map(
          ({ index, uri, path, problem }) =>
            `${index + 1}. ${uri}${problem ? ` (not usable: ${problem})` : path && !uri.endsWith(path) ? ` = ${oneLine(path)}` : ""}`,
        )
      : ["none"]),
    "",
    "## This process",
    `cwd         ${oneLine(report.cwd ?? "cannot be read")}`,
    ...Object.entries(report.arguments).map(([option, value]) => `--${option} ${oneLine(value)}`),
    ...Object.entries(environment.shown).map(([variable, value]) => `${variable}=${oneLine(value)}`),
    `${environment.hidden.length} other environment variables (values hidden)`,
    ...keys("_meta", report.meta),
    ...keys("headers", report.headers),
    ...keys("query", report.query),
    "",
    "## Which project each preset would pick",
    ...choices.map(
      ({ preset, project, why }) =>
        `${preset.padEnd(20)} ${project ? oneLine(project.path ?? project.name) : "none"}: ${oneLine(why)}`,
    ),
  ];
  return lines.join("\n");
}

function keys(what: string, of: unknown): string[] {
  const names = Object.keys((of ?? {}) as object);
  return names.length > 0 ? [`${what.padEnd(11)} ${names.sort().map(oneLine).join(", ")}`] : [];
}

/** Values come from a peer or the environment: they must not look like a line of the report. */
const oneLine = (text: string) => shown(text, 500);
