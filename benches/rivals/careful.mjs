// What a careful author writes without Rootwise, without its types: it asks once, takes the first root that is a folder, and
// asks again after a notification. It serves one kind of client: one that lists roots, names folders of this machine by correct
// URIs, answers soon, and reports every change.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export async function isFolder(path) {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** The first root that is a folder. */
export async function firstFolder(roots, isFolderAt = isFolder) {
  for (const { uri } of roots) {
    const path = pathOf(uri);
    if (path !== undefined && (await isFolderAt(path))) return { path, name: basename(path) };
  }
  throw new Error("the client has no folder open");
}

function pathOf(uri) {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

export class Careful {
  #listRoots;
  #isFolder;
  #supported = false;
  #known;

  constructor(listRoots, isFolderAt = isFolder) {
    this.#listRoots = listRoots;
    this.#isFolder = isFolderAt;
  }

  initialized({ capabilities }) {
    this.#supported = capabilities?.roots !== undefined;
  }

  rootsChanged() {
    this.#known = undefined;
  }

  /** Calls at the same time share one request. */
  project() {
    if (!this.#known) {
      const asked = this.#ask();
      this.#known = asked;
      asked.catch(() => {
        if (this.#known === asked) this.#known = undefined;
      });
    }
    return this.#known;
  }

  async #ask() {
    if (!this.#supported) throw new Error("the client has no roots");
    const { roots } = await this.#listRoots();
    return firstFolder(roots, this.#isFolder);
  }
}
