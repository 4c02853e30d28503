// What several servers do: they ask client and disk in every call.
import { firstFolder } from "./careful.mjs";

export async function askingProject(listRoots) {
  const { roots } = await listRoots();
  return firstFolder(roots);
}

/** What a tool returns to a client of 2026-07-28, which is asked by the result of its call. */
export async function askingByResult(responses, inputRequired, resultOf) {
  const roots = responses?.roots?.roots;
  if (!roots) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  return resultOf(await firstFolder(roots));
}
