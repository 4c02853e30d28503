import { useState } from "preact/hooks";
import type { DiskChange, Entry } from "../disk.js";
import type { Model } from "../model.js";
import { Field } from "./field.js";
import { Icon } from "./icon.js";

/** What can be drawn, and what has to be said of it beside its path. */
const KINDS = {
  folder: { more: "a folder needs nothing more", isPath: false },
  file: { more: "what is written in it, if anything reads it", isPath: false },
  link: { more: "where a link leads", isPath: true },
  "git worktree": { more: "the repository that it belongs to", isPath: true },
};

export function DiskTab({ model }: { model: Model }) {
  const { disk } = model;
  const entries = disk.entries();
  return (
    <>
      <section class="group">
        <h2>The disk at this step</h2>
        <ul class="tree">
          {entries.map((entry) => (
            <Leaf entry={entry} remove={() => void model.changeDisk({ remove: [entry.path] })} key={entry.path} />
          ))}
        </ul>
        {entries.length === 0 && <p class="about">It is empty: every folder is missing.</p>}
      </section>
      <Draw model={model} />
    </>
  );
}

function Leaf({ entry: { path, kind, to, text, isDenied }, remove }: { entry: Entry; remove: () => void }) {
  const parts = path.split(/[\\/]/).filter(Boolean);
  return (
    <li style={{ paddingLeft: `${(parts.length - 1) * 14}px` }}>
      <span class={kind} title={text === undefined ? path : `${path}: ${text.trim()}`}>
        <Icon name={kind} /> {parts.at(-1) ?? path}
        {to !== undefined && <small> leads to {to}</small>}
        {text !== undefined && <small> {text.trim()}</small>}
        {isDenied && <small> unreadable</small>}
      </span>
      <button type="button" class="small" aria-label={`Remove ${path}`} onClick={remove}>
        <Icon name="remove" />
      </button>
    </li>
  );
}

function Draw({ model }: { model: Model }) {
  const [path, setPath] = useState("");
  const [kind, setKind] = useState<keyof typeof KINDS>("folder");
  const [more, setMore] = useState("");
  const { disk } = model;
  const separator = disk.style === "windows" ? "\\" : "/";
  const { more: label, isPath } = KINDS[kind];
  const isReady = disk.isAbsolute(path) && (!isPath || disk.isAbsolute(more));
  const changes: Record<keyof typeof KINDS, (plain: string, other: string) => DiskChange> = {
    folder: (plain) => ({ add: [plain + separator] }),
    file: (plain) => (more ? { write: { [plain]: `${more}\n` } } : { add: [plain] }),
    link: (plain, other) => ({ link: { [plain]: other } }),
    "git worktree": (plain, other) => worktree(plain, other, separator),
  };
  const draw = () => void model.changeDisk(changes[kind](plainly(path), plainly(more)));
  return (
    <section class="group">
      <h2>Draw</h2>
      <Field label="kind">
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as keyof typeof KINDS)}>
          {Object.keys(KINDS).map((name) => (
            <option value={name} key={name}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="absolute path">
        <input
          value={path}
          placeholder={disk.style === "windows" ? "C:\\code\\shop" : "/home/ada/shop/.git"}
          onInput={(event) => setPath(event.currentTarget.value)}
        />
      </Field>
      <Field label={label}>
        <input value={more} disabled={kind === "folder"} onInput={(event) => setMore(event.currentTarget.value)} />
      </Field>
      <div class="buttons">
        <button type="button" class="primary" disabled={!isReady} onClick={draw}>
          Draw it
        </button>
      </div>
      <p class="about">
        Before the first event this is the disk of the beginning; later it changes while the story goes on.
      </p>
    </section>
  );
}

const plainly = (path: string) => path.replace(/[\\/]+$/, "");

/** What git writes for a worktree: the file in it that leads to the repository, and the files there that lead back. */
function worktree(folder: string, repository: string, separator: string): DiskChange {
  const name = folder.split(separator).at(-1) ?? "";
  const data = [repository, ".git", "worktrees", name].join(separator);
  const file = [folder, ".git"].join(separator);
  return {
    write: {
      [file]: `gitdir: ${data}\n`,
      [[data, "commondir"].join(separator)]: "../..\n",
      [[data, "gitdir"].join(separator)]: `${file}\n`,
    },
  };
}
