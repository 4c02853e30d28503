// What a loop needs of its host, and what a host tells it.
import type { EndpointOptions } from "../endpoint.js";
import type {
  AnnounceProject,
  AnnounceRoots,
  Answer,
  CallAsked,
  CallCleared,
  CallSelected,
  CallStarted,
  EndpointEvent,
  EndpointLog,
  Project,
  RouteRequest,
} from "../generated/types.js";

/** The same with optional members that may be undefined. */
export type AllowUndefined<T> = { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] };

/** An event whose optional members may be undefined. */
export type LoopEvent = EndpointEvent extends infer E ? (E extends EndpointEvent ? AllowUndefined<E> : never) : never;

/** An ask, a selection or the removal of one; the loop adds the id. */
export type Question =
  | ({ type: "asked" } & AllowUndefined<Omit<CallAsked, "ask">>)
  | ({ type: "selected" } & AllowUndefined<Omit<CallSelected, "ask">>)
  | ({ type: "selectionCleared" } & AllowUndefined<Omit<CallCleared, "ask">>);

/** The side of a loop that differs between hosts. */
export interface LoopHost {
  /** The options of the endpoint, which is created when it is needed first. */
  open(): EndpointOptions;
  /**
   * Sends a request and resolves with the raw result, unchecked. Rejects with a `ClientError` if the client answered with
   * an error; any other rejection means that the request could not be delivered.
   */
  send(request: RouteRequest, signal: AbortSignal): Promise<unknown>;
  announce?(change: AnnounceProject): void;
  announceRoots?(change: AnnounceRoots): void;
  watchRequests?(session: number): void;
  /** Reports channels whose state nobody announces; runs before time is reported. */
  followChannels?(): void;
  log(line: EndpointLog): void;
  readonly clock?: (() => number) | undefined;
}

/** How a call of 2026-07-28 describes its client. */
export type Described = Pick<CallStarted, "capabilities" | "clientInfo">;

/** What a loop keeps of a session. */
export interface SessionState {
  project: Readonly<Project> | undefined;
  /** The answer, for some time, to every ask that has no request-specific facts and describes its client in the same way. */
  known: { readonly answer: Answer; readonly until: number; readonly client: Described | undefined } | undefined;
  /** Counts the events that may have changed the session. */
  changes: number;
}
