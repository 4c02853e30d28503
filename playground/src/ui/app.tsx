import type { Model } from "../model.js";
import { stories } from "../stories.js";
import { Bar } from "./bar.js";
import { Clock } from "./clock.js";
import { Explanation } from "./explanation.js";
import { Header } from "./header.js";
import { LifeCycle } from "./lifecycle.js";
import { Panel } from "./panel.js";
import { ProjectCard } from "./project.js";
import { Rules } from "./rules.js";
import { Sequence } from "./sequence.js";
import { Sources } from "./sources.js";
import { openStory } from "./stories.js";

export function App({ model }: { model: Model }) {
  const isCompared = model.tracks.length > 1;
  return (
    <div class={isCompared ? "layout compared" : "layout"}>
      <Header model={model} />
      <Panel model={model} />
      <main>
        <StoryText model={model} />
        <Bar model={model} />
        <div class="tracks">
          {model.tracks.map((track, index) => {
            const cursor = model.cursorIn(track);
            const frame = track.frames[cursor];
            const label = isCompared ? `${index === 0 ? "A" : "B"}: ${nameOf(track)}` : undefined;
            return (
              <section class="track" key={index} aria-label={label ?? "The machine"}>
                {label && <h2 class="track-name">{label}</h2>}
                <ProjectCard frame={frame} />
                <Sequence track={track} cursor={cursor} scrub={(to) => track === model.main && model.scrub(to)} />
                <div class="side">
                  <LifeCycle track={track} cursor={cursor} />
                  <Clock model={model} frame={frame} />
                </div>
                <div class="below">
                  <Sources explanation={frame?.explanation} />
                  <Explanation frame={frame} />
                </div>
              </section>
            );
          })}
        </div>
      </main>
    </div>
  );
}

const nameOf = ({ policy }: Model["main"]) =>
  typeof policy === "string" ? policy : (policy.name ?? "recommended, changed");

function StoryText({ model }: { model: Model }) {
  const { story } = model;
  const next = story && stories[(stories.indexOf(story) + 1) % stories.length];
  return (
    <div class="story">
      <h1>{model.title}</h1>
      <p>
        {story
          ? story.text
          : "Play events from the panel, change the policy or the disk, and step back and forth: everything after the step that is shown is replaced by what you do next."}
      </p>
      {story && next && (
        <div class="more">
          <Rules numbers={story.rules} key={story.id} />
          <button type="button" class="small" onClick={() => void openStory(model, next)}>
            Next story
          </button>
        </div>
      )}
    </div>
  );
}
