// Compiled, never run: what tests of servers use.
import type { AnyServer, Project } from "rootwise/mcp";
import { type FakeClientOptions, fakeHost, type FakeHostOptions, fixedProject } from "rootwise/testing";

export async function example(server: AnyServer): Promise<string> {
  const machine: FakeHostOptions = { style: "windows", files: ["C:\\code\\"], links: {}, cwd: undefined, env: {} };
  using host = fakeHost(machine);
  host.disk.add("C:\\code\\a.txt").link("C:\\now", "C:\\code").deny("C:\\code").remove("C:\\now");
  const late: FakeClientOptions = { roots: ["C:\\code", { uri: "file:///c:/code", name: "code" }], delayMs: 6_000 };
  const client = await host.connect(server, late);
  // @ts-expect-error a client answers, refuses or is silent
  await host.connect(server, { roots: "late" });
  client.setRoots("silent", false);
  await host.advance(1_000);
  const { content, isError } = await client.callTool("where", { q: 1 }, { meta: { a: 1 }, headers: {} });
  using fixed = fixedProject("C:\\code", { name: undefined });
  const project: Readonly<Project> = fixed.project;
  return isError ? (content[0]?.text ?? "") : project.path;
}
