// node benches/backends.mjs: measures calls on each backend and reads of the project. Build first: npm run build.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { addonFile } from "../scripts/platforms.mjs";

const HELP = `node benches/backends.mjs [--against FOLDER]

Prints the median time of common calls on each backend, of a whole session beside a hand-written pick of the first root, and
of reading \`resolver.project\`.

  --against FOLDER  also measures the build in another clone, in turns with this one, and prints the ratio (this / other)
  --help            shows this text`;

if (process.argv.includes("--help")) {
  console.log(HELP);
  process.exit();
}

const here = fileURLToPath(new URL("..", import.meta.url));
const at = process.argv.indexOf("--against");
const other = at < 0 ? undefined : resolve(process.argv[at + 1] ?? ".");
if (other && !existsSync(join(other, "dist", "node"))) {
  console.error(`${other} has no build: run \`npm run build\` there first`);
  process.exit(1);
}

async function packages(folder) {
  const load = (name) => import(pathToFileURL(join(folder, "dist", "node", `${name}.js`)));
  process.env.ROOTWISE_ADDON = addonFile().replace(here, `${folder}/`);
  const backends = { addon: await load("native"), wasm: await load("wasm") };
  // Both load their part when they are first used, which must be while the variable names the right addon.
  for (const { Resolver } of Object.values(backends)) new Resolver(options).close();
  return backends;
}

const options = { host: { style: "posix" } };

const builds = { this: await packages(here), ...(other ? { other: await packages(other) } : {}) };

/** The median time in nanoseconds of each piece of work, in batches that take turns; the first batches warm up. */
function medians(turns, works) {
  const batches = works.map(() => []);
  for (let batch = 0; batch < 21; batch += 1) {
    works.forEach((work, index) => {
      const began = process.hrtime.bigint();
      for (let turn = 0; turn < turns; turn += 1) work(turn);
      batches[index].push(Number(process.hrtime.bigint() - began) / turns);
    });
  }
  return batches.map((times) => times.slice(6).sort((a, b) => a - b)[7]);
}

function resolved({ Resolver }) {
  const resolver = new Resolver(options);
  resolver.handle({ type: "clientInitialized", capabilities: { roots: {} } }, 0);
  resolver.handle({ type: "clientReady" }, 0);
  resolver.handle({ type: "asked", ask: 1 }, 0);
  resolver.handle({ type: "rootsListed", request: 1, result: { roots: [{ uri: "file:///p/one" }] } }, 0);
  resolver.handle({ type: "probed", probe: 1, paths: [{ path: "/p/one", found: "directory" }] }, 0);
  return resolver;
}

const list = (length) => ({
  roots: Array.from({ length }, (_, index) => ({ uri: `file:///p/${index}`, name: `folder ${index}` })),
});
const [three, twenty] = [list(3), list(20)];

const costs = {
  "open and close":
    ({ Resolver }) =>
    () =>
      new Resolver(options).close(),
  "an event without consequences": (rootwise) => {
    const resolver = resolved(rootwise);
    return () => resolver.handle({ type: "clientReady" }, 1);
  },
  "an ask that is answered at once": (rootwise) => {
    const resolver = resolved(rootwise);
    return () => resolver.handle({ type: "asked", ask: 2 }, 1);
  },
  "a list of twenty roots": (rootwise) => {
    const resolver = resolved(rootwise);
    return () => resolver.handle({ type: "rootsListed", result: twenty }, 1);
  },
  "a whole session with three roots":
    ({ Resolver }) =>
    () => {
      const resolver = new Resolver(options);
      resolver.handle({ type: "clientInitialized", capabilities: { roots: {} } }, 0);
      resolver.handle({ type: "clientReady" }, 0);
      const [send] = resolver.handle({ type: "asked", ask: 1 }, 0);
      const actions = resolver.handle({ type: "rootsListed", request: send.request, result: three }, 1);
      const { probe, paths } = actions.find(({ type }) => type === "probe");
      const [answer] = resolver.handle(
        { type: "probed", probe, paths: paths.map(({ path }) => ({ path, found: "directory" })) },
        1,
      );
      if (answer.project.path !== "/p/0") throw new Error("another project");
      resolver.close();
    },
  fileUriToPath:
    ({ fileUriToPath }) =>
    () =>
      fileUriToPath("file:///c%3A/Users/me/my%20project", "windows"),
};

const backends = Object.keys(builds.this);
const columns = backends.flatMap((backend) => (other ? [backend, "other", "ratio"] : [backend]));
console.log("microseconds per call".padEnd(36), ...columns.map((name) => name.padStart(8)));
for (const [name, cost] of Object.entries(costs)) {
  const row = backends.flatMap((backend) => {
    const [mine, theirs] = medians(
      1000,
      Object.values(builds).map((build) => cost(build[backend])),
    );
    return other ? [mine / 1000, theirs / 1000, mine / theirs] : [mine / 1000];
  });
  console.log(name.padEnd(36), ...row.map((value) => value.toFixed(2).padStart(8)));
}

const [byHand] = medians(2000, [
  () => {
    const first = three.roots.map(({ uri }) => fileURLToPath(uri)).at(0);
    if (first !== "/p/0") throw new Error("another project");
  },
]);
console.log("the first root, picked by hand".padEnd(36), (byHand / 1000).toFixed(2).padStart(8));

const plain = { project: { path: "/p/one" } };
let seen = 0;
const readers = {
  "a plain property": () => {
    if (plain.project !== null) seen += 1;
  },
};
for (const [name, rootwise] of Object.entries(builds.this)) {
  const resolver = resolved(rootwise);
  readers[`resolver.project on ${name}`] = () => {
    if (resolver.project !== null) seen += 1;
  };
}
console.log("\nnanoseconds per read, including the loop");
for (const [name, read] of Object.entries(readers))
  console.log(name.padEnd(36), medians(1_000_000, [read])[0].toFixed(2).padStart(8));
if (seen === 0) throw new Error("nothing was read");
