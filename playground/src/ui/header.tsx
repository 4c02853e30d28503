import { useState } from "preact/hooks";
import { copyOf, type Form, FORMS } from "../copies.js";
import type { Model } from "../model.js";
import { MAX_FRAGMENT } from "../share.js";

export function Header({ model }: { model: Model }) {
  return (
    <header>
      <p class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M16 3v11m0 0c0 7-9 5-9 14m9-14c0 7 9 5 9 14m-9-14v14" />
        </svg>
        Rootwise <span>playground</span>
      </p>
      <p class="said" role="status">
        {model.said}
      </p>
      <Share model={model} />
      <Copy model={model} />
    </header>
  );
}

function Share({ model }: { model: Model }) {
  const share = async () => {
    const fragment = await model.fragment();
    if (fragment === undefined)
      return model.say(`This story is too long for an address: it would have more than ${MAX_FRAGMENT} characters.`);
    history.replaceState(null, "", `#${fragment}`);
    await copy(model, location.href, "The address of this step is copied.");
  };
  return (
    <button type="button" onClick={() => void share()}>
      Share
    </button>
  );
}

function Copy({ model }: { model: Model }) {
  const [form, setForm] = useState<Form>("vector");
  const copyForm = async () => {
    const { title, main, host, story } = model;
    const played = {
      title: title || "A story",
      policy: main.policy,
      host,
      rules: story?.rules ?? [],
      frames: main.frames,
    };
    await copy(model, copyOf(form, played), `${FORMS[form]} copied.`);
  };
  return (
    <div class="copy">
      <label>
        <span class="hidden">Copy this story as</span>
        <select value={form} onChange={(event) => setForm(event.currentTarget.value as Form)}>
          {Object.entries(FORMS).map(([name, label]) => (
            <option value={name} key={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void copyForm()}>
        Copy
      </button>
    </div>
  );
}

/** Copies a text; where the browser refuses that, the text is shown to be copied by hand. */
async function copy(model: Model, text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) return model.say("This browser does not let a page copy.");
  }
  model.say(done);
}
