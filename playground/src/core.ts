import { init } from "rootwise";
import packed from "virtual:rootwise-module";

/** Unpacks and compiles the core, which is part of this page. */
export async function loadCore(): Promise<void> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  await init(await unpacked(bytes, "gzip").arrayBuffer());
}

export const unpacked = (bytes: Uint8Array<ArrayBuffer>, format: CompressionFormat): Response =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)));
