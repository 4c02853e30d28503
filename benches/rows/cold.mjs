import { figure, inTurns } from "../figures.mjs";
import { FRAMEWORKS, python, pythonPackage } from "../setup.mjs";
import { at, read } from "../../scripts/tools.mjs";

export default {
  name: "cold",
  title: "Cold start",
  needs: ["package", "python"],
  what: `A fresh process imports Rootwise and resolves its first project, beside a fresh process that imports the server part of an SDK and does nothing else. Milliseconds of processor time; the start of
Node or Python itself does not count. Then one event of a process that runs, on both backends of the Python package.`,
  aims: 8,
  limit: `WebAssembly must be read and checked before its first call, and V8 compiles each function when it is called first: both follow the size of the module. The pure Python package must also import \`wasmtime\`, which takes most of its time; its compiled module
is stored in the user's cache folder, and only the first process on a machine compiles it.`,
  tried: `In Node the module is read from its file; only a bundle decompresses the copy that is part of the code. \`rootwise/mcp\` loads no part of Node that is costly (\`node:crypto\`, \`node:zlib\`); half of
its time is finding and reading its own 55 files. V8 has no cache for compiled WebAssembly that a package could fill. The module of the Python package is compiled once per machine and then read from the cache. What is left follows the size of the module ([what was tried there](#size-of-the-webassembly-module)).`,
  async measure({ quick }) {
    const rounds = quick ? 2 : 15;
    const script = (name) => at("benches", "servers", name);
    const fresh = (program, args, env) => JSON.parse(read(program, args, { env: { ...process.env, ...env } }));
    const computed = (program, args, env) => () => fresh(program, args, env).computed / 1000;
    const node = (what) => computed(process.execPath, [script("cold.mjs"), what]);
    const took = await inTurns(
      { sdk1: node("sdk1"), sdk2: node("sdk2"), native: node("native"), wasm: node("wasm"), mcp: node("mcp") },
      { rounds, warm: 2 },
    );
    const pythons = {};
    for (const framework of ["mcp1", "mcp2"]) {
      const program = await python(framework);
      const events = { native: [], wasm: [] };
      const own = (backend) => () => {
        const { computed, event } = fresh(program, [script("cold.py"), "rootwise"], {
          PYTHONPATH: pythonPackage(backend),
        });
        events[backend].push(event);
        return computed / 1000;
      };
      const works = { sdk: computed(program, [script("cold.py"), "sdk"]), native: own("native"), wasm: own("wasm") };
      pythons[framework] = { ...(await inTurns(works, { rounds, warm: 2 })), events };
    }
    const row = (what, samples, beside, than, aim) =>
      figure(what, { unit: "ms", samples, beside, than: `importing ${than}`, aim });
    const { events } = pythons.mcp2;
    return [
      row("Node, addon", took.native, took.sdk2, "SDK 2.x", 0.1),
      row("Node, addon", took.native, took.sdk1, "SDK 1.x", 0.1),
      row("Node, WebAssembly", took.wasm, took.sdk2, "SDK 2.x", 0.2),
      row("Node, WebAssembly", took.wasm, took.sdk1, "SDK 1.x", 0.2),
      row("Node, importing `rootwise/mcp`, which brings no SDK", took.mcp, took.sdk2, "SDK 2.x"),
      row("Node, importing `rootwise/mcp`, which brings no SDK", took.mcp, took.sdk1, "SDK 1.x"),
      ...Object.entries(pythons).flatMap(([framework, took]) => [
        row("Python, native", took.native, took.sdk, FRAMEWORKS[framework].title, 0.1),
        row("Python, pure", took.wasm, took.sdk, FRAMEWORKS[framework].title, 0.5),
      ]),
      figure("Python, one event with a known answer, native", { samples: events.native }),
      figure("Python, one event with a known answer, pure", {
        samples: events.wasm,
        beside: events.native,
        than: "the native extension",
      }),
    ];
  },
};
