import {
  type Action,
  backend,
  type Event,
  fileUriToPath,
  init,
  Resolver,
  type ResolverOptions,
  RootwiseError,
} from "rootwise";

const options: ResolverOptions = { policy: "recommended", host: { style: "posix", env: { HOME: "/home/me" } } };

function paths(actions: Action[]): string[] {
  return actions.flatMap((action) => (action.type === "probe" ? action.paths.map(({ path }) => path) : []));
}

async function main(): Promise<void> {
  await init();
  const resolver: Resolver = new Resolver(options);
  const events: Event[] = [
    { type: "clientInitialized", capabilities: { roots: {} } },
    { type: "clientReady" },
    { type: "asked", ask: 1, askVia: "request" },
  ];
  for (const event of events) resolver.handle(event, 0);
  const looked = paths(
    resolver.handle({ type: "rootsListed", request: 1, result: { roots: [{ uri: "file:///p/one" }] } }, 1),
  );
  const actions = resolver.handle(
    { type: "probed", probe: 1, paths: looked.map((path) => ({ path, found: "directory" })) },
    2,
  );
  let path: string | undefined;
  for (const action of actions) {
    if (action.type === "answer" && action.outcome === "resolved") path = action.project.path;
  }
  let refused: string | undefined;
  try {
    fileUriToPath("file:///a%2Fb", "posix");
  } catch (error) {
    if (error instanceof RootwiseError && error.code === "encoded_separator") refused = error.code;
  }
  resolver.close();
  console.log(JSON.stringify({ path, refused, backend: backend.kind }));
}

void main();
