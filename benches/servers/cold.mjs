// node benches/servers/cold.mjs sdk1|sdk2|native|wasm|mcp: what a fresh process computes to import a package, and with Rootwise until the
// first project. Prints microseconds of processor time, and of time.
const what = process.argv[2];
const computed = process.cpuUsage();
const began = performance.now();
if (what === "sdk1") await import("@modelcontextprotocol/sdk/server/mcp.js");
else if (what === "sdk2") await import("@modelcontextprotocol/server");
else if (what === "mcp") {
  // What a server on the SDK imports, with the SDK's own code that it needs.
  await import("rootwise/mcp");
} else {
  const { Resolver } = what === "native" ? await import("rootwise/native") : await import("rootwise/wasm");
  const resolver = new Resolver({ host: { style: "posix" } });
  resolver.handle({ type: "clientInitialized", protocolVersion: "2025-11-25", capabilities: { roots: {} } }, 0);
  resolver.handle({ type: "clientReady" }, 0);
  resolver.handle({ type: "asked", ask: 1 }, 0);
  resolver.handle({ type: "rootsListed", request: 1, result: { roots: [{ uri: "file:///p/one" }] } }, 1);
  resolver.handle({ type: "probed", probe: 1, paths: [{ path: "/p/one", found: "directory" }] }, 2);
  if (resolver.project?.path !== "/p/one") throw new Error("no project");
}
const { user, system } = process.cpuUsage(computed);
console.log(JSON.stringify({ computed: user + system, time: (performance.now() - began) * 1000 }));
