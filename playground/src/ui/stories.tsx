import type { Model } from "../model.js";
import { groups } from "../stories.js";
import type { Story } from "../story.js";

/** Opens a story and plays it, unless the user wants no motion. */
export async function openStory(model: Model, story: Story): Promise<void> {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  history.replaceState(null, "", `#story=${story.id}`);
  await model.open(story, isStill ? "end" : "start");
  // On a narrow page the list is below what it changes.
  const head = document.querySelector(".story");
  if (head && head.getBoundingClientRect().bottom < 0) head.scrollIntoView();
  if (!isStill) model.toggle();
}

export function StoriesTab({ model }: { model: Model }) {
  return (
    <>
      {groups.map(({ title, stories }) => (
        <section class="group" key={title}>
          <h2>{title}</h2>
          <ul class="stories">
            {stories.map((story) => (
              <li key={story.id}>
                <button
                  type="button"
                  data-story={story.id}
                  aria-current={model.story === story}
                  onClick={() => void openStory(model, story)}
                >
                  {story.title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Recording model={model} />
    </>
  );
}

/** A recording as a file: chosen here, or dropped anywhere on the page. */
function Recording({ model }: { model: Model }) {
  return (
    <section class="group">
      <h2>A recording of your own</h2>
      <label class="drop">
        <span>
          Drop a recording of <code>rootwise record</code> on this page, or choose it: one JSON message in each line.
        </span>
        <input
          type="file"
          accept=".ndjson,.jsonl,.json,.txt"
          onChange={(event) => void model.drop(event.currentTarget.files?.[0])}
        />
      </label>
      <button type="button" onClick={() => void model.clear()}>
        Begin with an empty story
      </button>
    </section>
  );
}
