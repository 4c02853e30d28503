// A small filesystem server on either SDK. The client's roots are its allow-list, all of them; folders on the command line
// count for clients that have no roots.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { resolveInside, rootwise } from "rootwise/mcp";
import { z } from "zod";

const text = (text) => ({ content: [{ type: "text", text }] });

/** States in which the client told its roots: an empty list allows nothing. */
const TOLD = ["ok", "stale", "empty", "allInvalid"];

/**
 * Registers the tools.
 *
 * @param folders folders for clients without roots
 * @param shape makes the input schema that the SDK takes
 */
export function filesystem(server, { folders = [], shape = (fields) => fields } = {}) {
  const fallback = folders.map((folder) => (isAbsolute(folder) ? folder : resolve(folder)));
  // A root may be any folder here, also a home directory: the user chose it as the allow-list.
  const projects = rootwise(server, { policy: allowList });

  /** The folders that this call may use. */
  const allowed = async (ctx) => {
    const { roots, state } = await projects.roots(ctx);
    if (!TOLD.includes(state)) return { folders: fallback, refused: [] };
    return {
      folders: roots.flatMap(({ realPath }) => realPath ?? []),
      refused: roots.filter(({ problem }) => problem),
    };
  };
  const safe = async (ctx, path) => resolveInside((await allowed(ctx)).folders, path);

  server.registerTool(
    "list_allowed_directories",
    { description: "Lists the folders that this server may use, and the roots it cannot use." },
    async (ctx) => {
      const { folders, refused } = await allowed(ctx);
      const lines = [...folders, ...refused.map(({ uri, problem }) => `${uri} cannot be used: ${problem}`)];
      return text(lines.join("\n") || "No folders are allowed.");
    },
  );
  const path = { path: z.string().describe("Absolute path, or a path in the first allowed folder") };
  server.registerTool(
    "read_text_file",
    { description: "Reads a file.", inputSchema: shape(path) },
    async ({ path }, ctx) => text(await readFile(await safe(ctx, path), "utf8")),
  );
  server.registerTool(
    "list_directory",
    { description: "Lists a folder.", inputSchema: shape(path) },
    async ({ path }, ctx) => {
      const entries = await readdir(await safe(ctx, path), { withFileTypes: true });
      return text(
        entries
          .map((entry) => `${entry.isDirectory() ? "[DIR]" : "[FILE]"} ${entry.name}`)
          .sort()
          .join("\n"),
      );
    },
  );
  server.registerTool(
    "write_file",
    { description: "Writes a file.", inputSchema: shape({ ...path, content: z.string() }) },
    async ({ path, content }, ctx) => {
      const file = await safe(ctx, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return text(`Wrote ${file}`);
    },
  );
  return projects;
}

/** Roots alone, in whatever folder they are. */
const allowList = {
  name: "filesystem",
  sources: [{ from: "roots", excludedDirs: "allow" }],
  roots: { barePaths: "repair" },
};
