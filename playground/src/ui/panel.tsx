import type { FunctionComponent } from "preact";
import { useState } from "preact/hooks";
import type { Model } from "../model.js";
import { DiskTab } from "./disk.js";
import { EventsTab } from "./events.js";
import { PolicyTab } from "./policy.js";
import { ServerTab } from "./server.js";
import { StoriesTab } from "./stories.js";

const TABS: [string, FunctionComponent<{ model: Model }>][] = [
  ["Stories", StoriesTab],
  ["Events", EventsTab],
  ["Policy", PolicyTab],
  ["Server", ServerTab],
  ["Disk", DiskTab],
];

/** Everything that the user can change. */
export function Panel({ model }: { model: Model }) {
  const [open, setOpen] = useState(0);
  const [, Tab] = TABS[open] ?? (TABS[0] as (typeof TABS)[0]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = (open + by + TABS.length) % TABS.length;
    setOpen(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <aside class="panel" aria-label="What happens">
      <div role="tablist" aria-label="What to change" onKeyDown={move} tabIndex={-1}>
        {TABS.map(([name], index) => (
          <button
            type="button"
            role="tab"
            id={`tab-${index}`}
            key={name}
            aria-selected={open === index}
            aria-controls="tab-panel"
            tabIndex={open === index ? 0 : -1}
            onClick={() => setOpen(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="tab" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${open}`} tabIndex={0}>
        <Tab model={model} />
      </div>
    </aside>
  );
}
