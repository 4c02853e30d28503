import type { Project } from "rootwise";
import { folder } from "../rows.js";
import { Marked } from "./marked.js";
import type { Frame } from "../stage.js";

/** How the last call ended, and what the connection knows. */
export function ProjectCard({ frame }: { frame: Frame | undefined }) {
  const { tone, title, source, text } = summary(frame);
  return (
    <div class={`project ${tone}`} role="status" aria-label="Project">
      <p class="project-title">
        <strong>{title}</strong>
        {source && <span class="source">{source}</span>}
      </p>
      <p class="project-text" tabIndex={0}>
        <Marked text={text} />
      </p>
    </div>
  );
}

interface Summary {
  tone: string;
  title: string;
  source?: string;
  text: string;
}

function summary(frame: Frame | undefined): Summary {
  const connection = frame?.project
    ? `The connection's project: ${folder(frame.project)}.`
    : "The connection has no project yet.";
  if (frame && frame.waiting > 0) {
    const calls = frame.waiting === 1 ? "A call waits" : `${frame.waiting} calls wait`;
    const text = frame.form ? `The user is asked: ${frame.form.message} ${connection}` : connection;
    return { tone: "waiting", title: `${calls} for an answer`, text };
  }
  const { answer } = frame ?? {};
  if (!answer) return { tone: "quiet", title: "No call yet", text: connection };
  if (answer.outcome === "needsInput")
    return {
      tone: "waiting",
      title: "The client is asked by the result",
      text: "The call ended with input_required; its client repeats it with the answers.",
    };
  if (answer.outcome === "listed") return { tone: "good", title: `${answer.roots.length} roots`, text: answer.text };
  const found = (project: Project): Summary => ({
    tone: "good",
    title: folder(project),
    source: `from ${[project.source, project.via].filter(Boolean).join(" ")}`,
    text: [...about(project), connection].join(" "),
  });
  if (answer.outcome === "resolved" || answer.outcome === "selected") return found(answer.project);
  if (answer.outcome === "cleared") {
    if (answer.project) return found(answer.project);
    const text = [answer.message, connection].filter(Boolean).join(" ");
    return { tone: "quiet", title: "Selection cleared", source: `code ${answer.code}`, text };
  }
  const title = answer.outcome === "refused" ? "Refused" : "No project";
  return {
    tone: "bad",
    title,
    source: `code ${answer.code}`,
    text: [answer.message, answer.instruction].filter(Boolean).join(" "),
  };
}

/** What is to be said of a project beside its folder and its source. */
function about({ clientPath, key, handle, stale, repository }: Project): string[] {
  const { name, worktree, inside } = repository ?? {};
  const place = inside ? `the folder ${inside} of the repository ${name}` : `the repository ${name}`;
  return [
    ...(stale ? ["It is stale: what it rests on was not confirmed in time."] : []),
    ...(handle === undefined ? [] : [`Its handle is ${handle}: the model passes it with each call.`]),
    ...(clientPath === undefined ? [] : [`The client calls it ${clientPath}.`]),
    ...(worktree ? [`It is the worktree ${worktree.name} of ${place}.`] : inside ? [`It is ${place}.`] : []),
    ...(worktree && key === repository?.key ? ["Its key is that of the repository."] : []),
  ];
}
