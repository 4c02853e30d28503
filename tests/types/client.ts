// Compiled, never run: clients of both generations of the SDK provide their roots.
import type { Client as Client2 } from "@modelcontextprotocol/client";
import type { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { type AnyClient, type Folder, type ProvidedRoot, type ProvidedRoots, provideRoots } from "rootwise/client";
import { clientLike, type FakeClientOptions, type LikeClient } from "rootwise/testing";

export async function example(one: Client1, two: Client2, name: string | undefined): Promise<readonly ProvidedRoot[]> {
  const folders: readonly Folder[] = ["/work/shop", { uri: "/work/api", name: "API" }, { uri: "/work/x", name }];
  const roots: ProvidedRoots = provideRoots(one, folders);
  const clients: AnyClient[] = [one, two];
  for (const client of clients) provideRoots(client, ["/work"]);
  await provideRoots(two, []).update(folders);
  // @ts-expect-error a list of folders
  await roots.update("/work/shop");
  // @ts-expect-error the place of a folder is its `uri`
  await roots.update([{ path: "/work/shop" }]);
  // @ts-expect-error it is changed by `update`
  roots.list = [];
  // @ts-expect-error no client
  provideRoots({ connect: async () => {} }, []);
  const like: LikeClient = clientLike("cursor", { roots: folders, style: "windows", home: undefined });
  const options: FakeClientOptions = like.client;
  return options.name ? roots.list : [];
}
