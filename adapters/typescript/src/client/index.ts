/**
 * For those who write clients and gateways: the roots of a client.
 *
 * @module rootwise/client
 */
import { badOption } from "../driver/errors.js";
import { surroundings } from "../driver/surroundings.js";
import type { Folder, ProvidedRoot } from "../functions.js";
import { providedRoots } from "../node/index.js";

export { type ErrorCode, RootwiseError } from "../error.js";
export type { Folder, ProvidedRoot } from "../functions.js";

/** A `Client` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`. */
export interface AnyClient {
  connect(...args: never[]): Promise<void>;
  close(): Promise<void>;
  sendRootsListChanged(): Promise<void>;
}

/** The roots that a client provides. */
export interface ProvidedRoots {
  /** What the client answers now: the list for those who answer a round of 2026-07-28 themselves. */
  readonly list: readonly ProvidedRoot[];
  /**
   * Replaces the folders. The server is told if the list differs from the one that it knows, once for changes that come
   * together, and only up to 2025-11-25; a client that is not connected tells nobody.
   *
   * @returns when the server was told
   * @throws RootwiseError a folder is not absolute; nothing has changed
   */
  update(folders: readonly Folder[]): Promise<void>;
}

/** The parts of a client that both generations have. */
interface Client extends AnyClient {
  connect(...args: unknown[]): Promise<void>;
  readonly transport?: unknown;
  registerCapabilities(capabilities: object): void;
  setRequestHandler(method: unknown, handler: () => unknown): void;
  getProtocolEra?(): string | undefined;
}

/** In place of the zod schema of SDK 1.x, with the parts that its versions read. */
const LIST_ROOTS = {
  shape: { method: { value: "roots/list", _def: { value: "roots/list" } } },
  parse: (request: unknown) => request,
  safeParse: (request: unknown) => ({ success: true, data: request }),
};

const provided = new WeakSet<object>();

/**
 * Gives a client the roots of these folders: it declares the capability, answers requests of both eras, and tells its server of
 * changes. Call it before `connect`.
 *
 * @param folders absolute paths or `file:` URIs, alone or with a name
 * @throws RootwiseError a folder is not absolute, or the client is connected or has its roots already
 */
export function provideRoots(client: AnyClient, folders: readonly Folder[]): ProvidedRoots {
  const own = checked(client);
  const roots = new Roots(own, folders);
  own.registerCapabilities({ roots: { listChanged: true } });
  // Only 2.x has an era.
  own.setRequestHandler(typeof own.getProtocolEra === "function" ? "roots/list" : LIST_ROOTS, () => roots.answer());
  const { connect } = own;
  own.connect = async (...args) => {
    roots.connecting();
    await connect.apply(own, args);
    await roots.connected();
  };
  provided.add(own);
  return roots;
}

function checked(client: unknown): Client {
  const { registerCapabilities, setRequestHandler, sendRootsListChanged, transport } = (client ??
    {}) as Partial<Client>;
  if ([registerCapabilities, setRequestHandler, sendRootsListChanged].some((one) => typeof one !== "function"))
    throw badOption("client", "must be a Client of @modelcontextprotocol/sdk or @modelcontextprotocol/client");
  if (provided.has(client as object)) throw badOption("client", "has its roots already; update() them");
  if (transport) throw badOption("client", "is connected already; provide its roots before connect()");
  return client as Client;
}

function listed(folders: readonly Folder[]): readonly ProvidedRoot[] {
  if (!Array.isArray(folders)) throw badOption("folders", "must be a list");
  return Object.freeze(providedRoots(folders, surroundings().style).map((root) => Object.freeze(root)));
}

class Roots implements ProvidedRoots {
  readonly #client: Client;
  #list: readonly ProvidedRoot[];
  /** The list that the server knows, as text, or of which it knows that there is a new one. */
  #told: string | undefined;
  #isReady = false;

  constructor(client: Client, folders: readonly Folder[]) {
    this.#client = client;
    this.#list = listed(folders);
  }

  get list(): readonly ProvidedRoot[] {
    return this.#list;
  }

  async update(folders: readonly Folder[]): Promise<void> {
    this.#list = listed(folders);
    // Changes that come together are one.
    await Promise.resolve();
    await this.#tell();
  }

  answer(): { roots: readonly ProvidedRoot[] } {
    this.#told = JSON.stringify(this.#list);
    return { roots: this.#list };
  }

  connecting(): void {
    this.#isReady = false;
    this.#told = undefined;
  }

  /** The server knows that the client is initialized; it may have asked while the folders changed. */
  async connected(): Promise<void> {
    this.#isReady = true;
    this.#told ??= JSON.stringify(this.#list);
    await this.#tell();
  }

  async #tell(): Promise<void> {
    const list = JSON.stringify(this.#list);
    // In 2026-07-28 every call asks for the roots that it needs, and nobody is told of changes.
    const isOpen = this.#isReady && this.#client.transport && this.#client.getProtocolEra?.() !== "modern";
    if (!isOpen || list === this.#told) return;
    const before = this.#told;
    this.#told = list;
    try {
      await this.#client.sendRootsListChanged();
    } catch {
      // The transport reports what broke it; the next change tells again.
      this.#told = before;
    }
  }
}
