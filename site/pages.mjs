// The pages of the documentation site, in the order of its sidebar. A page is a file of the repository; `at` is its place in the
// site, by default its path below docs/. An entry with `api` is made by another tool, see scripts/docs.mjs.
export const sections = [
  {
    title: "Tutorials",
    pages: [
      { title: "TypeScript", file: "docs/tutorials/typescript.md" },
      { title: "Python", file: "docs/tutorials/python.md" },
      { title: "Rust", file: "docs/tutorials/rust.md" },
    ],
  },
  {
    title: "Guides",
    pages: [
      { title: "Playground", api: "/playground/index.html" },
      { title: "A server that you cannot change", file: "docs/guides/run.md" },
      { title: "Over HTTP", file: "docs/guides/http.md" },
      { title: "Switch the project", file: "docs/guides/switching.md" },
      { title: "Freshness", file: "docs/guides/freshness.md" },
      { title: "Containers, WSL and SSH", file: "docs/guides/containers.md" },
      { title: "Worktrees and monorepos", file: "docs/guides/repositories.md" },
      { title: "Several roots", file: "docs/guides/several-roots.md" },
      { title: "Policies", file: "docs/guides/policies.md" },
      { title: "Continue a session", file: "docs/guides/recovery.md" },
      { title: "Testing your server", file: "docs/guides/testing.md" },
      { title: "Clients and gateways", file: "docs/guides/clients-and-gateways.md" },
      { title: "From hand-written code", file: "docs/guides/migration.md" },
      { title: "Example servers", file: "examples/README.md", at: "examples.md" },
    ],
  },
  {
    title: "Reference",
    pages: [
      { title: "TypeScript adapter", file: "docs/mcp.md" },
      { title: "TypeScript package", file: "adapters/typescript/README.md", at: "typescript.md" },
      { title: "TypeScript API", api: "/api/typescript/index.html" },
      { title: "Python adapters", file: "adapters/python/README.md", at: "python.md" },
      { title: "Python API", api: "/api/python/rootwise.html" },
      { title: "Rust crates", file: "adapters/rust/README.md", at: "crates.md" },
      { title: "Rust adapter for rmcp", file: "adapters/rust/rootwise-rmcp/README.md", at: "rmcp.md" },
      { title: "Rust host", file: "adapters/rust/rootwise-host/README.md", at: "host.md" },
      { title: "Rust state machine", file: "core/README.md", at: "rust.md" },
      { title: "Rust API", api: "/api/rust/rootwise/index.html" },
      { title: "Command line", file: "adapters/rust/rootwise-cli/README.md", at: "cli.md" },
      { title: "C library", file: "bindings-c/README.md", at: "c.md" },
      { title: "Plain WebAssembly", file: "bindings-wasm/PLAIN.md", at: "plain.md" },
      { title: "Policy", file: "docs/policy.md" },
      { title: "Clients", file: "docs/clients.md" },
      { title: "URIs and paths", file: "docs/uris.md" },
      { title: "Events and actions", file: "tests/vectors/README.md", at: "events.md" },
    ],
  },
  {
    title: "How it works",
    pages: [
      { title: "Contract", file: "docs/contract.md" },
      { title: "Rules", file: "docs/rules.md" },
      { title: "Endpoint", file: "docs/endpoint.md" },
      { title: "Transitions", file: "docs/transitions.md" },
      { title: "Architecture", file: "docs/architecture.md" },
      { title: "Reliability", file: "docs/reliability.md" },
      { title: "Performance", file: "docs/performance.md" },
      { title: "Decisions", file: "docs/decisions.md" },
      { title: "Boundary to Rust", file: "docs/boundary.md" },
      { title: "Two ports", file: "docs/ports.md" },
    ],
  },
  {
    title: "Project",
    pages: [
      { title: "Contributing", file: "CONTRIBUTING.md", at: "contributing.md" },
      { title: "Security", file: "SECURITY.md", at: "security.md" },
      { title: "Changes", file: "CHANGELOG.md", at: "changes.md" },
    ],
  },
];

/** Where a page of the repository is in the site. */
export const placeOf = ({ file, at }) => at ?? file.replace(/^docs\//, "");

/** Pages that others link to, and the sidebar does not show. */
const linked = [
  ...["cocosearch", "conport", "filesystem", "mcp-guide", "replicas", "rmcp-notes", "thoughtbox", "wolfram-loop"].map(
    (name) => ({ title: name, file: `examples/${name}/README.md`, at: `examples/${name}.md` }),
  ),
  { title: "Tests of the core", file: "core/tests/README.md", at: "core-tests.md" },
  { title: "Real clients", file: "tests/clients/README.md", at: "real-clients.md" },
  { title: "Playground", file: "playground/README.md", at: "playground.md" },
];

export const pages = [
  { title: "Start", file: "docs/index.md" },
  ...sections.flatMap((section) => section.pages).filter((page) => page.file),
  ...linked,
];
