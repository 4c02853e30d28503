// The clients of core/clients.json, as they describe themselves.
import listed from "../../core/clients.json";
import type { ClientFacts } from "./story.js";

interface Listed {
  client: string;
  names?: string[];
  protocol?: string;
  roots: { declared: string; listChanged: string; answer: string };
  cwd: string;
  conversation?: { meta: string };
  seen?: Record<string, { capabilities?: { elicitation?: unknown } }>;
}

export interface KnownClient {
  /** The name of the product. */
  title: string;
  facts: ClientFacts;
  /** The key of `_meta` by which it names its conversation. */
  conversation?: string;
  /** What it answers, and where it starts its servers. */
  about: string;
}

const NEWEST_LEGACY = "2025-11-25";
export const MODERN = "2026-07-28";

/** The key that a JSON Pointer names. */
const keyIn = (pointer: string) => pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");

export const clients: KnownClient[] = (listed as Listed[])
  .filter(({ names }) => names && names.length > 0)
  .map(({ client, names, protocol, roots, cwd, conversation, seen = {} }) => {
    const [spoken = NEWEST_LEGACY] = /\d{4}-\d{2}-\d{2}/.exec(protocol ?? "") ?? [];
    const declares = /^(yes|reported$|with|passed on|if configured)/.test(roots.declared);
    const changes = /(^|\d: )(declared|yes|reported)/.test(roots.listChanged);
    const forms = Object.values(seen).some(({ capabilities }) => capabilities?.elicitation !== undefined);
    return {
      title: client,
      ...(conversation ? { conversation: keyIn(conversation.meta) } : {}),
      facts: {
        name: names?.[0] ?? client,
        protocol: spoken,
        ...(declares ? { roots: changes ? { listChanged: true } : {} } : {}),
        ...(forms ? { forms: true } : {}),
      },
      about: `Declares roots: ${roots.declared}. Answers: ${roots.answer}. Starts its servers in: ${cwd}.`.replaceAll(
        "`",
        "",
      ),
    };
  });
