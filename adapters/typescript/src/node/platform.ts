// How the installed package finds its parts. A bundle has `platform.bundle.ts` in its place. No file names itself here:
// bundlers would replace that by a path of the machine they run on.

const load: NodeJS.Require = require;

/** Loads an addon by the name of its package or by its path. */
export const loadModule = (name: string): unknown => load(name);

/** Where `npm run build` puts the addon in a clone of the repository. */
export const builtAddon = (platform: string): string | undefined => `../../../npm/${platform}/rootwise.node`;

/** The WebAssembly module, compressed; read when it is needed first. */
export const embeddedModule = (): string => require("../embedded.js") as string;
