import { useState } from "preact/hooks";
import type { Entry } from "../disk.js";
import type { Model } from "../model.js";
import { Field } from "./field.js";
import { Icon } from "./icon.js";

const KINDS = { folder: "folder", file: "file", link: "link" };

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

function Leaf({ entry: { path, kind, to, isDenied }, remove }: { entry: Entry; remove: () => void }) {
  const parts = path.split(/[\\/]/).filter(Boolean);
  return (
    <li style={{ paddingLeft: `${(parts.length - 1) * 14}px` }}>
      <span class={kind} title={path}>
        <Icon name={kind} /> {parts.at(-1) ?? path}
        {to !== undefined && <small> leads to {to}</small>}
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
  const [to, setTo] = useState("");
  const { disk } = model;
  const separator = disk.style === "windows" ? "\\" : "/";
  const isReady = disk.isAbsolute(path) && (kind !== "link" || disk.isAbsolute(to));
  const draw = () => {
    const plain = path.replace(/[\\/]+$/, "");
    void model.changeDisk(
      kind === "link" ? { link: { [plain]: to } } : { add: [kind === "folder" ? plain + separator : plain] },
    );
  };
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
      <Field label="where a link leads">
        <input value={to} disabled={kind !== "link"} onInput={(event) => setTo(event.currentTarget.value)} />
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
