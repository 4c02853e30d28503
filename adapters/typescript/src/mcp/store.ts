// Sessions that several replicas of a server share through a store.
import { badOption, hostError, hostWarning, messageOf } from "../driver/errors.js";
import { surroundings, type Timer } from "../driver/surroundings.js";
import type { EndpointLog } from "../generated/types.js";

/**
 * Keeps the connections of HTTP sessions, so that another replica of the server can continue them. The values are opaque.
 * Let them expire some time after their last use: a replica that stops leaves its sessions to the others.
 */
export interface SessionStore {
  /** Returns the state of a session; `undefined` or `null` if there is none. */
  load(sessionId: string): Promise<string | null | undefined>;
  /** Replaces the state of a session in one step if it still is `previous`; returns whether it did. */
  save(sessionId: string, state: string, previous: string | undefined): Promise<boolean>;
  /**
   * A secret of at least 32 bytes, the same for all replicas. It seals every state for its session: a state that somebody
   * else wrote to the store, or moved to another session, is not continued.
   */
  readonly key?: string | undefined;
}

/** Refuses an invalid store. */
export function checkStore(store: SessionStore | undefined): void {
  if (store === undefined) return;
  if (typeof store?.load !== "function" || typeof store.save !== "function")
    throw badOption("store", "must have the methods load and save");
  if (store.key !== undefined && (typeof store.key !== "string" || Buffer.byteLength(store.key) < 32))
    throw badOption("store.key", "must be a text of at least 32 bytes");
}

/** The key that seals the state of one session. */
export const sealFor = ({ key }: SessionStore, sessionId: string): string | undefined =>
  key === undefined ? undefined : `${key} ${sessionId}`;

/** The value in the store. */
interface Saved {
  /** A state that belongs to another session must never be continued. */
  readonly session: string;
  readonly connection: string;
}

/** How long a call waits for the store. */
const WAIT_MS = 5_000;

/** One session in the store, as this replica sees it. */
export class StoredSession {
  readonly #store: SessionStore;
  readonly #id: string;
  readonly #log: (line: EndpointLog) => void;
  /** Uses follow one another, so that a replica never takes its own change for that of another. */
  #turn: Promise<unknown> = Promise.resolve();
  /** A load that has not begun yet serves every call that waits for its turn. */
  #nextLoad: Promise<void> | undefined;
  /** The value in the store, as this replica saw or wrote it last. */
  #seen: string | undefined;
  #savedChanges = 0;

  constructor(store: SessionStore, id: string, log: (line: EndpointLog) => void) {
    this.#store = store;
    this.#id = id;
    this.#log = log;
  }

  /** Has the session continued from what another replica saved since the last use; `restore` returns the count of its changes. */
  load(restore: (saved: string) => number): Promise<void> {
    return (this.#nextLoad ??= this.#inTurn(async () => {
      this.#nextLoad = undefined;
      const value = (await this.#reach(() => this.#store.load(this.#id))) ?? undefined;
      if (value === this.#seen) return;
      // A state that expired or was lost is saved again: this replica continues what it knows.
      this.#seen = value;
      if (value === undefined) return;
      try {
        this.#savedChanges = restore(connectionIn(value, this.#id));
      } catch (error) {
        // Of another version, policy or session: the client is asked again.
        this.#log(hostWarning({ problem: "stateRefused", error: messageOf(error) }));
      }
    }));
  }

  /** Saves a session; returns false if it is no longer current, which counts no changes, or if another replica saved it first. */
  save(changes: () => number | undefined, snapshot: () => string): Promise<boolean> {
    return this.#inTurn(async () => {
      const count = changes();
      if (count === undefined) return false;
      if (this.#seen !== undefined && count === this.#savedChanges) return true;
      const value = JSON.stringify({ session: this.#id, connection: snapshot() } satisfies Saved);
      if (!(await this.#reach(() => this.#store.save(this.#id, value, this.#seen)))) return false;
      this.#seen = value;
      this.#savedChanges = count;
      return true;
    });
  }

  #inTurn<T>(use: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(use);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Without its store a session could miss a change of another replica, so that the call fails. */
  async #reach<T>(use: () => Promise<T>): Promise<T> {
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = surroundings().setTimer(() => reject(new Error(`no answer within ${WAIT_MS} ms`)), WAIT_MS);
    });
    try {
      return await Promise.race([use(), late]);
    } catch (error) {
      this.#log(hostWarning({ problem: "storeError", error: messageOf(error) }));
      throw hostError({ problem: "storeFailed" });
    } finally {
      timer?.cancel();
    }
  }
}

function connectionIn(value: string, id: string): string {
  const { session, connection } = JSON.parse(value) as Partial<Saved>;
  if (session !== id || typeof connection !== "string") throw new Error("it is the state of another session, or none");
  return connection;
}
