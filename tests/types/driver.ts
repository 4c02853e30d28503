// Compiled, never run: the driver, for servers without an SDK.
import { Resolver } from "rootwise";
import {
  ClientError,
  Connection,
  hostFacts,
  NeedsInput,
  NoProjectError,
  resolveAtStart,
  type Sender,
  Undeliverable,
} from "rootwise/driver";

const sender: Sender = {
  async send({ method, params }, signal) {
    signal.throwIfAborted();
    if (method !== "roots/list") throw new Undeliverable("not connected");
    if (params) throw new ClientError(-32601, "Method not found");
    return { roots: [] };
  },
};
const connection = new Connection({
  policy: "recommended",
  host: hostFacts("stdio", { argv: [] }),
  sender,
  onChange: (project, previous, { id, client, ended }) => void [project?.key, previous?.key, id, client, ended],
});
connection.initialized({ capabilities: { roots: {} } });
connection.ready();

// Options may be undefined.
new Resolver({ policy: undefined, snapshotKey: undefined, host: hostFacts() }).close();

export async function ask(): Promise<string> {
  try {
    return (await connection.ask({ argument: "/srv/a" }, { target: "/srv/a/file", signal: AbortSignal.timeout(5_000) }))
      .name;
  } catch (error) {
    if (error instanceof NeedsInput) return Object.keys(error.requests).join();
    if (error instanceof NoProjectError) return error.code === "cancelled" ? "cancelled" : error.message;
    throw error;
  }
}
export async function folder(): Promise<string> {
  const start = await resolveAtStart({ policy: "recommended" });
  if (start) return start.path;
  const identities = new Connection({ requirePath: false, host: hostFacts() });
  // @ts-expect-error such a project may have no path
  const path: string = (await identities.ask()).path;
  return path ?? (await connection.ask()).path;
}
