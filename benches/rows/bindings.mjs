import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { computed, computedAtOnce, figure, inTurns } from "../figures.mjs";
import { Careful } from "../rivals/careful.mjs";
import { load, VERSION } from "../rivals/filesystem.mjs";
import { emptyWasmCall, jsonOf } from "../rivals/floors.mjs";
import { addonFile } from "../../scripts/platforms.mjs";

const isFolderNow = (path) => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

const initialized = {
  type: "clientInitialized",
  protocolVersion: "2025-11-25",
  capabilities: { roots: { listChanged: true } },
  clientInfo: { name: "bench", version: "1" },
};

/** A whole session whose disk is this one; all examinations are synchronous, which is the quickest way. */
function session({ Resolver }, options, list) {
  const resolver = new Resolver(options);
  resolver.handle(initialized, 0);
  resolver.handle({ type: "clientReady" }, 0);
  const [send] = resolver.handle({ type: "asked", ask: 1 }, 0);
  const actions = resolver.handle({ type: "rootsListed", request: send.request, result: list }, 1);
  const { probe, paths } = actions.find(({ type }) => type === "probe");
  const found = paths.map(({ path }) => ({ path, found: isFolderNow(path) ? "directory" : "missing" }));
  const [answer] = resolver.handle({ type: "probed", probe, paths: found }, 1);
  if (answer.outcome !== "resolved") throw new Error("no project");
  resolver.close();
}

/** A session whose project is known. */
function settled({ Resolver }, options) {
  const resolver = new Resolver(options);
  const list = { roots: [{ uri: "file:///p/one" }] };
  resolver.handle(initialized, 0);
  resolver.handle({ type: "clientReady" }, 0);
  resolver.handle({ type: "asked", ask: 1 }, 0);
  resolver.handle({ type: "rootsListed", request: 1, result: list }, 0);
  resolver.handle({ type: "probed", probe: 1, paths: [{ path: "/p/one", found: "directory" }] }, 0);
  return resolver;
}

export default {
  name: "bindings",
  title: "Node: addon and WebAssembly",
  needs: ["package", "filesystem"],
  what: `The same session from JavaScript objects, beside the careful code by hand (\`benches/rivals/careful.mjs\`): handshake, request, list of three roots, disk,
answer. Both examine folders synchronously; the hand-written code examines the first root and stops, Rootwise examines all three, because an answer about several roots
must say which of them exist. The last lines run the whole loop with the disk of the operating system's thread pool.`,
  aims: 2,
  limit: `The hand-written session is a few property reads beside one \`stat\`. Rootwise crosses a boundary six times, writes and reads each event and its actions as JSON
(the line "the messages as JSON" is that part alone), and makes an answer with an explanation of every source. A whole session happens once per connection; what every call pays is
[above](#a-tool-call-in-typescript). In the loop, each probe is one piece of work for a thread, in the addon.`,
  tried: `WebAssembly returns objects instead of text, because text would have to be copied out of the module and decoded first. Values do not go in as objects: the conversions read inherited properties and change
numbers ([the reasons](boundary.md#input-is-text-for-safety)). The module is built for speed where that costs little ([the levels](boundary.md#size-and-speed-of-the-module)).`,
  async measure({ quick }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "rootwise-bench-")));
    try {
      return await measured(folder, quick);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measured(folder, quick) {
  // Built parts are loaded only here, so that the page can be made without them.
  const [addon, wasm] = [await import("rootwise/native"), await import("rootwise/wasm")];
  const { Connection, hostFacts } = await import("rootwise/driver");
  const options = { host: { style: "posix" } };
  const folders = ["one", "two", "three"].map((name) => join(folder, name));
  for (const path of folders) mkdirSync(path);
  const list = { roots: folders.map((path) => ({ uri: pathToFileURL(path).href, name: "folder" })) };
  const messages = [initialized, { type: "clientReady" }, { type: "asked", ask: 1 }, list, { paths: folders }];
  const emptyAddon = createRequire(import.meta.url)(addonFile()).version;
  const emptyWasm = emptyWasmCall();
  const [onAddon, onWasm] = [settled(addon, options), settled(wasm, options)];
  const validated = await load();
  const careful = async (isFolder) => {
    const rival = new Careful(async () => list, isFolder);
    rival.initialized(initialized);
    await rival.project();
  };
  const atOnce = (count, work) => () => computedAtOnce(count, work);
  const works = {
    addon: atOnce(200, () => session(addon, options, list)),
    wasm: atOnce(200, () => session(wasm, options, list)),
    careful: () => computed(200, () => careful(isFolderNow)),
    json: atOnce(200, jsonOf(messages)),
    knownOnAddon: atOnce(500, () => onAddon.handle({ type: "asked", ask: 2 }, 1)),
    knownOnWasm: atOnce(500, () => onWasm.handle({ type: "asked", ask: 2 }, 1)),
    emptyAddon: atOnce(5000, () => emptyAddon()),
    emptyWasm: atOnce(50_000, () => emptyWasm()),
    driver: () =>
      computed(30, async () => {
        const connection = new Connection({ host: hostFacts("stdio"), sender: { send: async () => list } });
        connection.initialized(initialized);
        connection.ready();
        await connection.ask();
        connection.close();
      }),
    carefulWaiting: () => computed(30, () => careful()),
    filesystem: () => computed(30, () => validated(list.roots)),
  };
  const took = await inTurns(works, { rounds: quick ? 5 : 60 });
  const byHand = { beside: took.careful, than: "the careful code by hand" };
  return [
    figure("a whole session on the addon", { samples: took.addon, ...byHand, aim: 6 }),
    figure("a whole session on WebAssembly", { samples: took.wasm, ...byHand, aim: 12 }),
    figure("a whole session on the addon", { samples: took.addon, beside: took.json, than: "the messages as JSON" }),
    figure("an ask whose answer is known, addon", {
      samples: took.knownOnAddon,
      beside: took.emptyAddon,
      than: "an empty call of an addon that returns a text",
    }),
    figure("an ask whose answer is known, WebAssembly", {
      samples: took.knownOnWasm,
      beside: took.emptyWasm,
      than: "an empty call of WebAssembly",
    }),
    figure("a connection with the loop and the thread pool", {
      samples: took.driver,
      beside: took.carefulWaiting,
      than: "the careful code by hand, waiting for its `stat`",
    }),
    figure("a connection with the loop and the thread pool", {
      samples: took.driver,
      beside: took.filesystem,
      than: `the roots code of \`@modelcontextprotocol/server-filesystem\` ${VERSION}, without the connection`,
    }),
  ];
}
