// The server that the playground pretends to be: it turns moves into events of the endpoint, answers probes from the drawn disk and
// keeps the clock. All decisions are the core's.
import {
  Endpoint,
  type Answer,
  type EndpointAction,
  type EndpointEvent,
  type EndpointOutput,
  type Explanation,
  type InputRequest,
  type Policy,
  type Project,
  presets,
  type RequestMethod,
  RootwiseError,
  type SelectBy,
} from "rootwise";
import { Disk, type DiskChange } from "./disk.js";
import { type CallFacts, type ClientFacts, type Move, type RootEntry, type Setup, transportOf } from "./story.js";

/** One event and what the core returned. */
export interface Step {
  now: number;
  event: EndpointEvent;
  output: EndpointOutput;
}

/** One moment of a story: an event of the outside world, and what followed at once. */
export interface Frame {
  /** The number of the move that caused it; -1 for the beginning. */
  move: number;
  now: number;
  note?: string;
  /** What the user should know of a move that had no effect. */
  remark?: string;
  /** How the disk was changed. */
  disk?: string;
  steps: Step[];
  deadline: number | null;
  explanation: Explanation | undefined;
  /** The connection's project. */
  project: Project | null;
  /** The end of the last call. */
  answer: Answer | undefined;
  /** Whether the client is asked for its roots, by a request or by the result of a call. */
  isAsked: boolean;
  /** The form that the client shows to its user. */
  form: Form | undefined;
  /** Calls that wait for their project. */
  waiting: number;
  hasStream: boolean;
}

export interface Form {
  message: string;
  /** What it offers; nothing if the user writes a path. */
  options: string[];
}

/** What a call wants: its project, or to select one, or to clear the selection. */
interface Wish {
  facts: CallFacts;
  select?: SelectBy;
  isClear?: boolean;
}

interface Call {
  call: number;
  channel?: number;
  wish: Wish;
  isCut: boolean;
}

/** A call that ended with questions: its client answers all of them and repeats it. */
interface Round {
  wish: Wish;
  open: Map<string, InputRequest>;
  responses: Record<string, unknown>;
}

type Reply = { result: unknown } | { refused: { code: number; message: string } };

const SESSION = 1;
/** How long a move takes, and how long the disk takes for a reply. */
const MOVE_MS = 5;
const DISK_MS = 1;
/** A story that causes more events than this by itself is cut off: it would be a fault of the stage. */
const MAX_REPLIES = 1_000;

export class Stage {
  readonly frames: Frame[] = [];
  readonly disk: Disk;
  readonly #setup: Setup;
  readonly #endpoint: Endpoint;
  #now = 0;
  #played = 0;
  #ids = 0;
  #frame: Frame | undefined;
  #project: Project | null = null;
  #answer: Answer | undefined;
  #explanation: Explanation | undefined;
  #isConnected = false;
  #isClosed = false;
  readonly #calls = new Map<number, Call>();
  readonly #asks = new Map<number, number>();
  readonly #requests = new Map<number, { method: RequestMethod; params: unknown }>();
  readonly #lastRequests = new Map<RequestMethod, number>();
  /** An answer that came before its question: another policy may ask at another time. */
  #early: Reply | undefined;
  #round: Round | undefined;
  /** Whether the policy has the user asked. */
  readonly #hasForms: boolean;
  #stream: number | undefined;
  readonly #next: EndpointEvent[] = [];
  readonly #probes: { probe: number; paths: { path: string; markers?: string[] }[] }[] = [];

  /** @throws RootwiseError the policy or the facts are invalid */
  constructor(setup: Setup) {
    this.#setup = setup;
    this.disk = new Disk(setup.host.style, setup.disk);
    this.#endpoint = new Endpoint({ policy: setup.policy, host: setup.host });
    const policy: Policy = typeof setup.policy === "string" ? presets[setup.policy] : setup.policy;
    this.#hasForms = Boolean(policy.elicit);
    const transport = transportOf(setup.host);
    this.#begin(-1);
    this.#handle({ type: "sessionOpened", session: SESSION, transport });
    this.#end();
    this.#settle(-1);
  }

  get now(): number {
    return this.#now;
  }

  get deadline(): number | null {
    return this.#endpoint.deadline;
  }

  /** Plays one move; a misuse becomes a remark. */
  play(move: Move): void {
    const index = this.#played;
    this.#played += 1;
    const before = this.frames.length;
    if (move.do === "wait") this.#advance(this.#now + Math.max(0, Math.round(move.ms)), index, move.note);
    else if (move.do === "deadline") this.#advance(this.#endpoint.deadline ?? this.#now, index, move.note);
    else {
      this.#advance(this.#now + MOVE_MS, index);
      this.#begin(index, move.note);
      try {
        this.#act(move);
      } catch (error) {
        if (!(error instanceof RootwiseError)) throw error;
        this.#remark(error.message);
      }
      this.#end();
    }
    this.#settle(index);
    if (this.frames.length === before) {
      this.#begin(index, move.note);
      this.#end();
    }
  }

  close(): void {
    this.#endpoint.close();
  }

  #act(move: Exclude<Move, { do: "wait" } | { do: "deadline" }>): void {
    const session = SESSION;
    switch (move.do) {
      case "initialize":
        this.#isConnected = true;
        this.#handle({ type: "clientInitialized", session, ...describedClient(move.client) });
        break;
      case "ready":
        this.#handle({ type: "clientReady", session });
        break;
      case "call":
        this.#call({ facts: move });
        break;
      case "select":
        this.#call({ facts: move, select: move.by });
        break;
      case "clear":
        this.#call({ facts: move, isClear: true });
        break;
      case "answer": {
        const result = move.result ?? { roots: (move.roots ?? []).map(entryOf) };
        this.#reply("roots/list", { result }, move.again);
        break;
      }
      case "form": {
        const content = move.project === undefined ? undefined : { project: move.project };
        this.#reply("elicitation/create", {
          result: move.result ?? (content ? { action: "accept", content } : { action: "decline" }),
        });
        break;
      }
      case "refuse": {
        const { code = -32601, message = code === -32601 ? "Method not found" : "Internal error" } = move;
        this.#reply("roots/list", { refused: { code, message } });
        break;
      }
      case "changed":
        this.#early = undefined;
        this.#handle({ type: "rootsChanged", session });
        break;
      case "cancel":
        this.#cancel();
        break;
      case "stream":
        this.#openStream();
        break;
      case "break":
        this.#break(move.end);
        break;
      case "resume":
        this.#resume();
        break;
      case "disk":
        this.disk.change(move);
        if (this.#frame) this.#frame.disk = described(move);
        break;
      case "facts":
        this.#handle({ type: "hostFactsChanged", facts: move.host });
        break;
      case "close":
        this.#requests.clear();
        this.#handle({ type: "sessionClosed", session });
        this.#isClosed = true;
        break;
    }
  }

  #call(wish: Wish, responses?: unknown): void {
    const { call } = this.#start(wish, responses);
    const ask = this.#id();
    this.#asks.set(ask, call);
    if (wish.select) {
      this.#handle({ type: "selected", ask, call, by: wish.select });
      return;
    }
    if (wish.isClear) {
      this.#handle({ type: "selectionCleared", ask, call });
      return;
    }
    const { argument, target, headers, query, meta, modern, caller } = wish.facts;
    // An explanation of the call itself is needed where that of the connection does not show what the call brought. No user is
    // asked for a call that is explained.
    const isSpecial = [argument, target, headers, query, meta, modern, caller].some((fact) => fact !== undefined);
    this.#handle({
      type: "asked",
      ask,
      call,
      ...(target === undefined ? {} : { target }),
      ...(isSpecial && !this.#hasForms ? { explain: true } : {}),
    });
  }

  #start(wish: Wish, responses?: unknown): Call {
    const isHttp = transportOf(this.#setup.host) === "http";
    const call = this.#id();
    const channel = isHttp ? this.#id() : undefined;
    const started: Call = { call, wish, isCut: false, ...(channel === undefined ? {} : { channel }) };
    this.#calls.set(call, started);
    const { modern, argument, headers, query, meta, caller } = wish.facts;
    this.#handle({
      type: "callStarted",
      call,
      // Over HTTP, revision 2026-07-28 has no sessions.
      ...(modern && isHttp ? {} : { session: SESSION }),
      ...(channel === undefined ? {} : { channel }),
      method: "tools/call",
      ...(modern ? describedClient(modern) : {}),
      ...(headers ? { headers } : {}),
      ...(query ? { query } : {}),
      ...(meta ? { meta } : {}),
      ...(caller === undefined ? {} : { caller }),
      ...(argument === undefined ? {} : { argument }),
      ...(responses === undefined ? {} : { inputResponses: responses }),
    });
    return started;
  }

  #reply(method: RequestMethod, reply: Reply, isAgain = false): void {
    const waiting = [...this.#requests].find(([, sent]) => sent.method === method)?.[0];
    const request = isAgain ? this.#lastRequests.get(method) : waiting;
    const question = [...(this.#round?.open ?? [])].find(([, asked]) => asked.method === method)?.[0];
    if (request !== undefined) {
      this.#requests.delete(request);
      this.#lastRequests.set(method, request);
      if ("result" in reply) this.#handle({ type: "requestAnswered", request, result: reply.result });
      else this.#handle({ type: "requestRefused", request, kind: "error", ...reply.refused });
    } else if (this.#round && question !== undefined) {
      const { wish, open, responses } = this.#round;
      open.delete(question);
      responses[question] = "result" in reply ? reply.result : { error: reply.refused };
      if (open.size > 0) this.#remark("The client repeats the call when it has answered every question.");
      else {
        this.#round = undefined;
        this.#call(wish, responses);
      }
    } else if (isAgain) this.#remark("There is no request that was answered before.");
    else if (method === "elicitation/create") this.#remark("No form is open.");
    else {
      this.#early = reply;
      this.#remark("Nobody has asked yet: the client gives this answer when it is asked.");
    }
  }

  #cancel(): void {
    const [call] = this.#waitingCalls();
    if (call) this.#handle({ type: "callEnded", call: call.call, cancelled: true });
    else this.#remark("No call waits.");
  }

  #openStream(): void {
    if (transportOf(this.#setup.host) === "http") {
      this.#stream = this.#id();
      this.#handle({ type: "channelOpened", session: SESSION, channel: this.#stream });
    } else this.#remark("Only HTTP has streams of their own.");
  }

  #break(end: "broken" | "cut"): void {
    const call = this.#waitingCalls().find(({ isCut }) => !isCut);
    const channel = call?.channel ?? this.#stream;
    if (channel === undefined) {
      this.#remark("There is no stream: over stdio, the whole connection is one channel.");
      return;
    }
    if (call?.channel === undefined) this.#stream = undefined;
    else call.isCut = true;
    this.#handle({ type: "channelClosed", channel, end });
    if (end === "broken" && call && this.#calls.has(call.call)) this.#handle({ type: "callEnded", call: call.call });
  }

  #resume(): void {
    const call = this.#waitingCalls().find(({ isCut }) => isCut);
    if (call?.channel === undefined) {
      this.#remark("No stream is cut.");
      return;
    }
    call.isCut = false;
    this.#handle({ type: "channelOpened", session: SESSION, channel: call.channel });
  }

  #waitingCalls(): Call[] {
    return [...this.#asks.values()].flatMap((call) => this.#calls.get(call) ?? []);
  }

  /** Time passes; deadlines on the way are kept. */
  #advance(to: number, move: number, note?: string): void {
    for (let count = 0; count < MAX_REPLIES; count += 1) {
      const { deadline } = this.#endpoint;
      if (deadline === null || deadline > to) break;
      this.#now = Math.max(this.#now, deadline);
      this.#begin(move, count === 0 ? note : undefined);
      this.#handle({ type: "deadlineReached" });
      this.#end();
      this.#settle(move);
    }
    this.#now = Math.max(this.#now, to);
  }

  /** Answers what the core asks of the disk, and what the client has answered already. */
  #settle(move: number): void {
    for (let count = 0; count < MAX_REPLIES; count += 1) {
      const probe = this.#probes.shift();
      const isEarly = this.#early !== undefined && this.#isAsked();
      if (!probe && !isEarly) return;
      this.#now += DISK_MS;
      this.#begin(move);
      if (probe) {
        const paths = probe.paths.map((path) => this.disk.probe(path));
        this.#handle({ type: "probed", probe: probe.probe, paths });
      } else if (this.#early) {
        const reply = this.#early;
        this.#early = undefined;
        this.#reply("roots/list", reply);
      }
      this.#end();
    }
  }

  #handle(event: EndpointEvent): void {
    const output = this.#endpoint.handle(event, this.#now);
    this.#frame?.steps.push({ now: this.#now, event, output });
    for (const { session, project } of output.sessions ?? [])
      if (session === SESSION && project !== undefined) this.#project = project;
    for (const action of output.actions) this.#perform(action);
    if (event.type === "callEnded") this.#calls.delete(event.call);
    // What follows from an action is an event of its own, after all actions of this one.
    for (let next = this.#next.shift(); next; next = this.#next.shift()) this.#handle(next);
  }

  #perform(action: EndpointAction): void {
    const wish = action.type === "callResult" ? this.#calls.get(action.call)?.wish : undefined;
    if (wish && action.type === "callResult" && action.inputRequests)
      this.#round = { wish, open: new Map(Object.entries(action.inputRequests)), responses: {} };
    if (action.type === "sendRequest")
      this.#requests.set(action.request, { method: action.method, params: action.params });
    else if (action.type === "cancel") this.#requests.delete(action.request);
    else if (action.type === "probe") this.#probes.push(action);
    else if (action.type === "answer") this.#answered(action);
  }

  #answered(answer: Answer): void {
    this.#answer = answer;
    if (answer.explanation) this.#explanation = answer.explanation;
    for (const ask of answer.asks) {
      const call = this.#calls.get(this.#asks.get(ask) ?? -1);
      this.#asks.delete(ask);
      if (!call) continue;
      if (call.wish.facts.modern) this.#next.push({ type: "callReturned", call: call.call, inputRequired: false });
      this.#next.push({ type: "callEnded", call: call.call });
    }
  }

  #begin(move: number, note?: string): void {
    this.#frame = {
      move,
      now: this.#now,
      steps: [],
      deadline: null,
      explanation: undefined,
      project: null,
      answer: undefined,
      isAsked: false,
      form: undefined,
      waiting: 0,
      hasStream: false,
      ...(note === undefined ? {} : { note }),
    };
  }

  #end(): void {
    const frame = this.#frame;
    if (!frame) return;
    frame.now = this.#now;
    frame.deadline = this.#endpoint.deadline;
    frame.project = this.#project;
    frame.answer = this.#answer;
    // A connection that is closed explains nothing more, so the last explanation stays.
    const rest = this.#isClosed ? this.frames.at(-1)?.explanation : this.#endpoint.explain(SESSION);
    frame.explanation = this.#explanation ?? rest;
    // Without `initialize` the connection has nothing to explain, so the explanation of the last call stays.
    if (this.#isConnected) this.#explanation = undefined;
    frame.isAsked = this.#isAsked();
    frame.form = this.#form();
    frame.waiting = this.#asks.size;
    frame.hasStream = this.#stream !== undefined || this.#waitingCalls().some(({ channel }) => channel !== undefined);
    this.frames.push(frame);
    this.#frame = undefined;
  }

  #questions(): { method: RequestMethod; params?: unknown }[] {
    return [...this.#requests.values(), ...(this.#round?.open.values() ?? [])];
  }

  #isAsked(): boolean {
    return this.#questions().some(({ method }) => method === "roots/list");
  }

  #form(): Form | undefined {
    const params = this.#questions().find(({ method }) => method === "elicitation/create")?.params as
      | { message?: string; requestedSchema?: { properties?: { project?: { enum?: string[] } } } }
      | undefined;
    return (
      params && { message: params.message ?? "", options: params.requestedSchema?.properties?.project?.enum ?? [] }
    );
  }

  #remark(text: string): void {
    if (this.#frame) this.#frame.remark = text;
  }

  #id(): number {
    this.#ids += 1;
    return this.#ids;
  }
}

const entryOf = (root: string | RootEntry): RootEntry => (typeof root === "string" ? { uri: root } : root);

function describedClient({ name, version, protocol, roots, forms }: ClientFacts) {
  const clientInfo = { name, ...(version === undefined ? {} : { version }) };
  const capabilities = { ...(roots ? { roots } : {}), ...(forms ? { elicitation: {} } : {}) };
  return { protocolVersion: protocol, capabilities, clientInfo };
}

function described({ add = [], link = {}, write = {}, remove = [] }: DiskChange) {
  const links = Object.entries(link).map(([path, to]) => `${path} leads to ${to}`);
  const appears = [...add, ...Object.keys(write)];
  return [
    ...(appears.length > 0 ? [`appears: ${appears.join(", ")}`] : []),
    ...(links.length > 0 ? [`link: ${links.join(", ")}`] : []),
    ...(remove.length > 0 ? [`is gone: ${remove.join(", ")}`] : []),
  ].join("; ");
}
