// node benches/faces.mjs: measures calls on each backend and reads of the project. Build first: npm run build.
import { packages } from "../tests/faces/faces.mjs";

if (process.argv.includes("--help")) {
  console.log("node benches/faces.mjs\n\nPrints the median time of common calls on each backend, and of reading `resolver.project`.");
  process.exit();
}

/** Median nanoseconds of one iteration over several batches; the first batches warm up. */
function nanoseconds(turns, work) {
  const batches = [];
  for (let batch = 0; batch < 15; batch += 1) {
    const began = process.hrtime.bigint();
    for (let turn = 0; turn < turns; turn += 1) work(turn);
    batches.push(Number(process.hrtime.bigint() - began) / turns);
  }
  return batches.slice(5).sort((a, b) => a - b)[5];
}

const options = { host: { style: "posix" } };

function resolved({ Resolver }) {
  const resolver = new Resolver(options);
  resolver.handle({ type: "clientInitialized", capabilities: { roots: {} } }, 0);
  resolver.handle({ type: "clientReady" }, 0);
  resolver.handle({ type: "asked", ask: 1 }, 0);
  resolver.handle({ type: "rootsListed", request: 1, result: { roots: [{ uri: "file:///p/one" }] } }, 0);
  resolver.handle({ type: "probed", probe: 1, paths: [{ path: "/p/one", found: "directory" }] }, 0);
  return resolver;
}

const roots = { roots: Array.from({ length: 20 }, (_, index) => ({ uri: `file:///p/${index}`, name: `folder ${index}` })) };

const costs = {
  "open and close": (rootwise) => () => new rootwise.Resolver(options).close(),
  "an event with nothing to do": (rootwise) => {
    const resolver = resolved(rootwise);
    return () => resolver.handle({ type: "clientReady" }, 1);
  },
  "an ask that is answered at once": (rootwise) => {
    const resolver = resolved(rootwise);
    return () => resolver.handle({ type: "asked", ask: 2 }, 1);
  },
  "a list of twenty roots": (rootwise) => {
    const resolver = resolved(rootwise);
    return () => resolver.handle({ type: "rootsListed", result: roots }, 1);
  },
  "fileUriToPath": ({ fileUriToPath }) => () => fileUriToPath("file:///c%3A/Users/me/my%20project", "windows"),
};

console.log("microseconds a call".padEnd(36), ...Object.keys(packages).map((name) => name.padStart(10)));
for (const [name, cost] of Object.entries(costs)) {
  const row = Object.values(packages).map((rootwise) => (nanoseconds(2000, cost(rootwise)) / 1000).toFixed(1).padStart(10));
  console.log(name.padEnd(36), ...row);
}

const plain = { project: { path: "/p/one" } };
let seen = 0;
const readers = {
  "a plain property": () => {
    if (plain.project !== null) seen += 1;
  },
};
for (const [name, rootwise] of Object.entries(packages)) {
  const resolver = resolved(rootwise);
  readers[`resolver.project on ${name}`] = () => {
    if (resolver.project !== null) seen += 1;
  };
}
console.log("\nnanoseconds a read, loop included");
for (const [name, read] of Object.entries(readers)) console.log(name.padEnd(36), nanoseconds(2_000_000, read).toFixed(2).padStart(10));
if (seen === 0) throw new Error("nothing was read");
