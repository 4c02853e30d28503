// What several servers do: they ask client and disk in every call.
import { firstFolder } from "./careful.mjs";

export async function askingProject(listRoots) {
  const { roots } = await listRoots();
  return firstFolder(roots);
}
