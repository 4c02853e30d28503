// What a client of the table of clients does, as options of the fakes.
import { badOption } from "../driver/errors.js";
import { ownOptions } from "../driver/options.js";
import type { Folder } from "../functions.js";
import type { PathStyle } from "../generated/types.js";
import { simulateClient } from "../node/index.js";
import type { FakeClientOptions } from "./client.js";
import type { FakeHostOptions } from "./host.js";

/** Options of {@link clientLike}. */
export interface ClientLikeOptions {
  /** The folders that are open in the client: absolute paths or `file:` URIs, alone or with a name. */
  roots?: readonly Folder[] | undefined;
  /** How its paths are spelled; by default `posix`. */
  style?: PathStyle | undefined;
  /** The home folder of its user. */
  home?: string | undefined;
  /** The id by which its calls name their conversation, if they do; by default `conversation-1`. */
  conversation?: string | undefined;
}

const OPTIONS: readonly string[] = ["roots", "style", "home", "conversation"] satisfies (keyof ClientLikeOptions)[];

/** What a client does. */
export interface LikeClient {
  /** Its name in the table of clients. */
  readonly name: string;
  /** Whether it speaks 2026-07-28 with servers that do. */
  readonly isModern: boolean;
  /** How it starts its servers: for {@link fakeHost}. */
  readonly host: Pick<FakeHostOptions, "style" | "cwd" | "env" | "home">;
  /** How it speaks with them: for `connect` of a {@link fakeHost}. */
  readonly client: FakeClientOptions;
}

/**
 * Behaves like a client of the table of clients, by its name: `cursor`, `claude-code`. Where several behaviours of a client were
 * seen, it has the one that is hardest to deal with.
 *
 * @throws RootwiseError there is no such client; the message has the nearest name
 */
export function clientLike(name: string, options: ClientLikeOptions = {}): LikeClient {
  const { roots = [], style = "posix", home, conversation } = ownOptions(options, OPTIONS);
  if (typeof name !== "string") throw badOption("name", "must be the name of a client");
  const known = simulateClient(name, roots, style, home, conversation);
  return {
    name: known.client,
    isModern: known.isModern,
    host: { style, cwd: known.cwd, env: known.env, home },
    client: {
      name: known.name,
      protocolVersion: known.protocolVersion,
      isModern: known.isModern,
      capabilities: known.capabilities,
      roots: known.roots,
      form: known.form,
      meta: known.meta,
      metaIfDeclared: known.metaIfDeclared,
    },
  };
}
