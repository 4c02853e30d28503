// Checks the project that an HTTP request names in a header or its query before the server sees the request.
import { badOption, Undeliverable } from "../driver/errors.js";
import { checkedFacts, DIR_UNUSABLE, reportDirs } from "../driver/host.js";
import { Loop } from "../driver/loop.js";
import { checkFunction, ownOptions } from "../driver/options.js";
import { inputsOf } from "../driver/policy.js";
import type { Project } from "../driver/project.js";
import { RootwiseError } from "../error.js";
import type { GateCase } from "../functions.js";
import type { EndpointLog, HostFacts, Policy } from "../generated/types.js";
import { gatePolicy, gateRefusal } from "../node/index.js";
import type { PresetName } from "../resolver.js";
import { headerOf, partsOf, type RequestParts } from "./sdk.js";

/** Options of `projectGate()`. */
export interface GateOptions {
  /** The header that names the project, such as `X-Project-Path`. */
  header?: string | undefined;
  /** The query parameter that names the project, such as `project_path`. */
  query?: string | undefined;
  /** If neither is given: the policy whose headers and query parameters count; by default `recommended`. */
  policy?: PresetName | Policy | undefined;
  /** Whether clients are on this machine, so that their paths are paths here; by default they are not. */
  local?: boolean | undefined;
  /** Folders that every project must be inside. */
  allowedDirs?: readonly string[] | undefined;
  /** Whether the project must be a folder that this process can use; by default as the policy says, and else it must. */
  requirePath?: boolean | undefined;
  /** Whether a request without a project is refused as well. */
  required?: boolean | undefined;
  /** Facts that replace the collected ones. */
  host?: { [K in keyof HostFacts]?: HostFacts[K] | undefined } | undefined;
  /** How many requests are checked at once; the next ones are answered with status 503. By default 10,000. */
  maxPending?: number | undefined;
  /** Receives log lines; without it, allowed folders that are of no use are reported as a warning of the process. */
  log?: ((line: EndpointLog) => void) | undefined;
}

const OPTIONS: readonly string[] = [
  "header",
  "query",
  "policy",
  "local",
  "allowedDirs",
  "requirePath",
  "required",
  "host",
  "maxPending",
  "log",
] satisfies (keyof GateOptions)[];
const MAX_PENDING = 10_000;

/** The result of a check: a project, nothing, or a refusal to answer with. */
export interface GateVerdict {
  readonly project?: Readonly<Project<false>>;
  readonly refusal?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** A request of `node:http` or of Express. */
export interface GateRequest {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly url?: string | undefined;
  readonly originalUrl?: string | undefined;
  /** The project that the request names; the gate sets it for the handlers that follow. */
  rootwise?: Readonly<Project<false>> | undefined;
}

declare global {
  namespace Express {
    interface Request {
      /** The project that the request names; `projectGate()` sets it. */
      rootwise?: Readonly<Project<false>> | undefined;
    }
  }
}

interface GateResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Middleware for Express and similar frameworks; `check` and `fetch` serve the others. */
export interface Gate {
  (request: GateRequest, response: GateResponse, next: (error?: unknown) => void): void;
  /** Checks a web request. */
  check(request: {
    readonly headers: { get(name: string): string | null };
    readonly url: string;
  }): Promise<GateVerdict>;
  /** Puts the gate in front of a web handler. */
  fetch<R extends Request>(handler: (request: R) => Response | Promise<Response>): (request: R) => Promise<Response>;
}

/** Refuses requests whose header or query names a folder that cannot be a project, with the policy's status (400). */
export function projectGate(given: GateOptions = {}): Gate {
  const options = ownOptions(given, OPTIONS);
  const policy = checked(options);
  const inputs = inputsOf(policy);
  const host = checkedFacts("http", policy, options);
  const send = () => Promise.reject(new Undeliverable("a gate asks nobody"));
  const { required = false, maxPending = MAX_PENDING, log } = options;
  const write = (line: EndpointLog) => {
    // Reported already.
    if (line.code !== DIR_UNUSABLE) log?.(line);
  };
  const loop = new Loop({ open: () => ({ policy, host }), send, log: write });
  void reportDirs(policy, host, log);
  let pending = 0;
  const judge = async (parts: RequestParts | undefined): Promise<GateVerdict> => {
    if (!parts && !required) return {};
    if (pending >= maxPending) return refused({ tooMany: {} });
    pending += 1;
    // A call of its own: requests share no state, and none waits for another.
    const call = loop.id();
    try {
      loop.feed({ type: "callStarted", call, ...parts, capabilities: {} });
      const answer = await loop.ask({ type: "asked", call });
      if (answer.outcome === "resolved") return { project: Object.freeze(answer.project) };
      return refused({ answered: { answer, required } });
    } catch (error) {
      if (!(error instanceof RootwiseError)) throw error;
      return refused({ failed: { code: error.code, message: error.message } });
    } finally {
      pending -= 1;
      loop.feed({ type: "callEnded", call });
    }
  };
  const gate = (request: GateRequest, response: GateResponse, next: (error?: unknown) => void) => {
    judge(
      partsOf(
        (name) => headerOf(request.headers, name),
        () => request.originalUrl ?? request.url,
        undefined,
        inputs,
      ),
    ).then(({ project, refusal }) => {
      if (refusal) {
        response.writeHead(refusal.status, { ...refusal.headers });
        response.end(refusal.body);
        return;
      }
      request.rootwise = project;
      next();
    }, next);
  };
  const check: Gate["check"] = ({ headers, url }) =>
    judge(
      partsOf(
        (name) => headers.get(name),
        () => url,
        undefined,
        inputs,
      ),
    );
  const fetch: Gate["fetch"] = (handler) => async (request) => {
    const { refusal } = await check(request);
    return refusal
      ? new Response(refusal.body, { status: refusal.status, headers: { ...refusal.headers } })
      : handler(request);
  };
  return Object.assign(gate, { check, fetch });
}

function refused(verdict: GateCase): GateVerdict {
  const refusal = gateRefusal(verdict);
  return refusal ? { refusal } : {};
}

function checked(options: GateOptions): Policy {
  const { header, query, maxPending, policy, log } = options;
  if (log !== undefined) checkFunction(log, "log");
  for (const [name, value] of Object.entries({ header, query })) {
    if (value !== undefined && typeof value !== "string")
      throw badOption(name, "must be the name of a header or a query parameter");
  }
  if (maxPending !== undefined && !(Number.isSafeInteger(maxPending) && maxPending > 0))
    throw badOption("maxPending", "must be a whole number above 0");
  for (const name of ["requirePath", "local"] as const)
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw badOption(name, "must be true or false");
  return gatePolicy(policy, options);
}
