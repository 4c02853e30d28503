import { type Action, type Event, fileUriToPath, type Policy, Resolver } from "rootwise";

const other = new Resolver({ host: { style: "windows" } });
const resolver = new Resolver({ host: { style: "posix" } });
resolver.handle({ type: "nonsense" }, 0); // refused
resolver.handle({ type: "asked" }, 0); // refused
resolver.handle({ type: "clientReady" }); // refused
resolver.handle({ type: "clientReady" }, "0"); // refused
resolver.project.path; // refused
other.project = null; // refused
new Resolver({}); // refused
new Resolver({ host: { style: "amiga" } }); // refused
new Resolver({ policy: "nobody", host: { style: "posix" } }); // refused
fileUriToPath("file:///a", "vms"); // refused
const policy: Policy = { name: "mine", sources: [{ from: "roots" }, { from: "cwd", verify: "exists" }] };
const wrong: Policy = { name: "mine", sources: [{ from: "somewhere" }] }; // refused
const asked: Event = { type: "asked", ask: 1, facts: { argument: "/a", meta: { any: ["thing"] } } };
function read(action: Action): string {
  if (action.type === "log") return action.code;
  if (action.type === "answer" && action.outcome === "refused") return action.code;
  return action.project; // refused
}
if (resolver.project) console.log(resolver.project.path?.length, policy, asked, read, wrong);
