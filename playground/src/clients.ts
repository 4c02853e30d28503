// The clients of core/clients.json, as they describe themselves.
import listed from "../../core/clients.json";
import type { ClientFacts } from "./story.js";

interface Listed {
  client: string;
  names?: string[];
  protocol?: string;
  roots: { declared: string; listChanged: string; answer: string };
  cwd: string;
}

export interface KnownClient {
  /** The name of the product. */
  title: string;
  facts: ClientFacts;
  /** What it answers, and where it starts its servers. */
  about: string;
}

const NEWEST_LEGACY = "2025-11-25";
export const MODERN = "2026-07-28";

export const clients: KnownClient[] = (listed as Listed[])
  .filter(({ names }) => names && names.length > 0)
  .map(({ client, names, protocol, roots, cwd }) => {
    const [spoken = NEWEST_LEGACY] = /\d{4}-\d{2}-\d{2}/.exec(protocol ?? "") ?? [];
    const declares = /^(yes|reported$|with|passed on|if configured)/.test(roots.declared);
    const changes = /(^|\d: )(declared|yes|reported)/.test(roots.listChanged);
    return {
      title: client,
      facts: {
        name: names?.[0] ?? client,
        protocol: spoken,
        ...(declares ? { roots: changes ? { listChanged: true } : {} } : {}),
      },
      about: `Declares roots: ${roots.declared}. Answers: ${roots.answer}. Starts its servers in: ${cwd}.`.replaceAll(
        "`",
        "",
      ),
    };
  });
