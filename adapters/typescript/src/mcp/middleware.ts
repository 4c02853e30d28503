// Judges the project a request names in a header or its query before the server sees the request.
import type { Answer, HostFacts, Policy, Project, RequestFacts, Source } from "../generated/types.js";
import { presets } from "../generated/presets.js";
import type { PresetName } from "../resolver.js";
import { Connection } from "./connection.js";
import { hostFacts } from "./host.js";
import { profileOf } from "./profile.js";
import { factsOf } from "./sdk.js";

export interface GateOptions {
  /** The header that names the project, such as `X-Workspace-Id`. */
  header?: string;
  /** The query parameter that names the project, such as `project_path`. */
  query?: string;
  /** Where neither is given: the policy whose headers and query parameters count; by default `recommended`. */
  policy?: PresetName | Policy;
  /** Folders every project must be in. */
  allowedDirs?: readonly string[];
  /** Whether a request without a project is refused as well. */
  required?: boolean;
  /** Facts that replace what was found out about the machine. */
  host?: Partial<HostFacts>;
}

/** What a request names: a project, nothing, or something that gets this answer instead. */
export interface Verdict {
  readonly project?: Readonly<Project>;
  readonly refusal?: { readonly status: number; readonly body: string };
}

interface NodeRequest {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly url?: string | undefined;
  readonly originalUrl?: string | undefined;
  /** Where the project is left for handlers that come after. */
  rootwise?: Readonly<Project> | undefined;
}

interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Middleware for Express and its kin; `check` and `fetch` are for everything else. */
export interface Gate {
  (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void;
  /** Judges a web request. */
  check(request: { readonly headers: { get(name: string): string | null }; readonly url: string }): Promise<Verdict>;
  /** Puts the gate in front of a web handler. */
  fetch<R extends Request>(handler: (request: R) => Response | Promise<Response>): (request: R) => Promise<Response>;
}

/** Refuses requests whose header or query names no folder that may be a project, with the status the policy says (400). */
export function projectGate(options: GateOptions = {}): Gate {
  const profile = profileOf(policyOf(options));
  const given = options.allowedDirs ? { ...options.host, allowedDirs: [...options.allowedDirs] } : options.host;
  const connection = new Connection({
    profile,
    facts: hostFacts(profile, "http", given),
    send: () => Promise.reject(new Error("nobody to ask")),
    log: () => {},
    changed: () => {},
  });
  const judge = async (facts: RequestFacts | undefined): Promise<Verdict> => {
    // With capabilities of its own a request stands alone: nothing is read from or left on the connection.
    const answer = await connection.ask({ type: "asked", askBy: "none", facts: { ...facts, capabilities: {} } });
    return verdict(answer, options.required ?? false);
  };
  const gate = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => {
    const url = () => new URL(request.originalUrl ?? request.url ?? "/", "http://localhost");
    judge(factsOf((name) => [request.headers[name]].flat()[0], url, undefined, profile)).then(({ project, refusal }) => {
      if (refusal) {
        response.writeHead(refusal.status, JSON_TYPE);
        response.end(refusal.body);
        return;
      }
      request.rootwise = project;
      next();
    }, next);
  };
  const check: Gate["check"] = ({ headers, url }) => judge(factsOf((name) => headers.get(name), () => new URL(url), undefined, profile));
  const fetch: Gate["fetch"] = (handler) => async (request) => {
    const { refusal } = await check(request);
    return refusal ? new Response(refusal.body, { status: refusal.status, headers: JSON_TYPE }) : handler(request);
  };
  return Object.assign(gate, { check, fetch });
}

const JSON_TYPE = { "content-type": "application/json" };

function policyOf({ header, query, policy = "recommended" }: GateOptions): Policy {
  if (header === undefined && query === undefined) {
    const { name, sources, texts, advice }: Policy = typeof policy === "string" ? presets[policy] : policy;
    const own = sources.filter(({ from }) => from === "header" || from === "query");
    return { name, sources: own, ...(texts ? { texts } : {}), ...(advice ? { advice } : {}) };
  }
  const sources: Source[] = [];
  if (header !== undefined) sources.push({ from: "header", read: [header], status: 400 });
  if (query !== undefined) sources.push({ from: "query", read: [query], status: 400 });
  const names = [header && `header \`${header}\``, query && `query parameter \`${query}\``].filter(Boolean).join(" or ");
  return { name: "gate", sources, advice: [{ text: `Send the project path with the request (${names}).` }] };
}

function verdict(answer: Answer, required: boolean): Verdict {
  if (answer.outcome === "resolved") return { project: Object.freeze(answer.project) };
  if (answer.outcome !== "refused" && !required) return {};
  const { code, message, instruction, source, status } = answer as Partial<Extract<Answer, { outcome: "refused" }>>;
  const error = { code: -32602, message: [message, instruction].filter(Boolean).join("\n"), data: { code, source } };
  return { refusal: { status: status ?? 400, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) } };
}
