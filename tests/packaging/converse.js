// The same short conversation in every project: a client lists one folder, and the folder exists.
export function converse({ Resolver, RootwiseError, fileUriToPath, backend }) {
  const resolver = new Resolver({ host: { style: "posix" } });
  resolver.handle({ type: "clientInitialized", capabilities: { roots: {} } }, 0);
  resolver.handle({ type: "clientReady" }, 1);
  const [sent] = resolver.handle({ type: "asked", ask: 1 }, 2);
  const [look] = resolver.handle(
    { type: "rootsListed", request: sent.request, result: { roots: [{ uri: "file:///p/one" }] } },
    3,
  );
  const paths = look.paths.map(({ path }) => ({ path, found: "directory" }));
  const [answer] = resolver.handle({ type: "probed", probe: look.probe, paths }, 4);
  let refused;
  try {
    fileUriToPath("file:///a%2Fb", "posix");
  } catch (error) {
    refused = error instanceof RootwiseError ? error.code : String(error);
  }
  const { path } = resolver.project;
  resolver.close();
  return { path: answer.project.path === path ? path : "differs", refused, backend: backend.kind };
}
