import { folder } from "../rows.js";
import type { Frame } from "../stage.js";

/** How the last call ended, and what the connection knows. */
export function ProjectCard({ frame }: { frame: Frame | undefined }) {
  const { tone, title, source, text } = summary(frame);
  return (
    <div class={`project ${tone}`} role="status" aria-label="Project">
      <p class="project-title">
        <strong>{title}</strong>
        {source && <span class="source">from {source}</span>}
      </p>
      <p class="project-text" tabIndex={0}>
        {text}
      </p>
    </div>
  );
}

function summary(frame: Frame | undefined): { tone: string; title: string; source?: string; text: string } {
  const connection = frame?.project
    ? `The connection's project: ${folder(frame.project)}.`
    : "The connection has no project yet.";
  if (frame && frame.waiting > 0) {
    const calls = frame.waiting === 1 ? "A call waits" : `${frame.waiting} calls wait`;
    return { tone: "waiting", title: `${calls} for an answer`, text: connection };
  }
  const { answer } = frame ?? {};
  if (!answer) return { tone: "quiet", title: "No call yet", text: connection };
  if (answer.outcome === "needsInput")
    return {
      tone: "waiting",
      title: "The client is asked by the result",
      text: "The call ended with input_required; its client repeats it with its roots.",
    };
  if (answer.outcome === "listed") return { tone: "good", title: `${answer.roots.length} roots`, text: answer.text };
  if ("project" in answer) {
    const { project } = answer;
    const source = [project.source, project.via].filter(Boolean).join(" ");
    const stale = project.stale ? " It is stale: a check did not come in time." : "";
    return { tone: "good", title: folder(project), source, text: `${connection}${stale}` };
  }
  const title = answer.outcome === "refused" ? `Refused: ${answer.code}` : `No project: ${answer.code}`;
  return { tone: "bad", title, text: [answer.message, answer.instruction].filter(Boolean).join(" ") };
}
