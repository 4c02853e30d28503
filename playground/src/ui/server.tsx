import type { HostFacts, PathMap, PathStyle, Transport } from "rootwise";
import type { Model } from "../model.js";
import { transportOf } from "../story.js";
import { Field } from "./field.js";

/** Facts that are set, or removed. */
type Change = { [Name in keyof HostFacts]?: HostFacts[Name] | undefined };

/** The facts of the server's process. They hold from the beginning of the story. */
export function ServerTab({ model }: { model: Model }) {
  const { host } = model;
  const set = (change: Change) => {
    const kept = Object.entries({ ...host, ...change }).filter(([, value]) => value !== undefined);
    void model.setHost(Object.fromEntries(kept) as HostFacts);
  };
  const folders = (text: string) => {
    const listed = lines(text);
    return listed.length > 0 ? listed : undefined;
  };
  return (
    <section class="group">
      <h2>The server's process</h2>
      <Field label="transport">
        <select
          value={transportOf(host)}
          onChange={(event) => set({ transport: event.currentTarget.value as Transport })}
        >
          <option value="stdio">stdio</option>
          <option value="http">HTTP</option>
        </select>
      </Field>
      <Field label="spelling of paths">
        <select value={host.style} onChange={(event) => set({ style: event.currentTarget.value as PathStyle })}>
          <option value="posix">POSIX</option>
          <option value="windows">Windows</option>
        </select>
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={host.local ?? transportOf(host) === "stdio"}
          onChange={(event) => set({ local: event.currentTarget.checked })}
        />
        the client is on the same machine
      </label>
      <Field label="working directory">
        <input value={host.cwd ?? ""} onChange={(event) => set({ cwd: event.currentTarget.value || undefined })} />
      </Field>
      <Field label="variables, NAME=value in each line">
        <textarea
          rows={3}
          value={written(host.env)}
          onChange={(event) => set({ env: pairs(event.currentTarget.value) })}
        />
      </Field>
      <Field label="options of the command line, name=value in each line">
        <textarea
          rows={2}
          value={written(host.arguments)}
          onChange={(event) => set({ arguments: pairs(event.currentTarget.value) })}
        />
      </Field>
      <Field label="home folders">
        <textarea
          rows={2}
          value={(host.excludedDirs?.home ?? []).join("\n")}
          onChange={(event) => {
            const home = folders(event.currentTarget.value);
            set({ excludedDirs: { ...host.excludedDirs, home: home ?? [] } });
          }}
        />
      </Field>
      <Field label="allowed folders, if the operator confines the server">
        <textarea
          rows={2}
          value={(host.allowedDirs ?? []).join("\n")}
          onChange={(event) => set({ allowedDirs: folders(event.currentTarget.value) })}
        />
      </Field>
      <Field label="path map, /client/folder=/server/folder in each line">
        <textarea
          rows={2}
          value={(host.pathMap ?? []).map(({ from, to }) => `${from}=${to}`).join("\n")}
          onChange={(event) => set({ pathMap: mapped(event.currentTarget.value) })}
        />
      </Field>
      <Field label="the parameter of the tools that names a project">
        <input
          value={host.toolArgument ?? ""}
          onChange={(event) => set({ toolArgument: event.currentTarget.value || undefined })}
        />
      </Field>
      <Field label="the tool that switches the project">
        <input
          value={host.selectTool ?? ""}
          onChange={(event) => set({ selectTool: event.currentTarget.value || undefined })}
        />
      </Field>
      {model.main.error && <p class="problem">{model.main.error}</p>}
    </section>
  );
}

function mapped(text: string): PathMap[] | undefined {
  const found = lines(text).map((line): PathMap => {
    const [from = "", ...to] = line.split("=");
    return { from, fromStyle: /^([A-Za-z]:|\\\\)/.test(from) ? "windows" : "posix", to: to.join("=") };
  });
  return found.length > 0 ? found : undefined;
}

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

const written = (values: HostFacts["env"]) =>
  Object.entries(values ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");

function pairs(text: string): Record<string, string> | undefined {
  const found = lines(text).map((line): [string, string] => {
    const [name = "", ...value] = line.split("=");
    return [name, value.join("=")];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
