import type { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { type PresetName, presets } from "rootwise";
import { createEditor, lineOf, setText, showError } from "../editor.js";
import type { Model } from "../model.js";
import type { Track } from "../track.js";
import { Field } from "./field.js";

/** How long the user pauses before the policy is tried. */
const PAUSE_MS = 200;

export function PolicyTab({ model }: { model: Model }) {
  const [, other] = model.tracks;
  return (
    <>
      {model.tracks.map((track, index) => (
        <PolicyEditor
          model={model}
          track={track}
          name={other ? (index === 0 ? "Policy A" : "Policy B") : "Policy"}
          key={index}
        />
      ))}
      <div class="buttons">
        <button type="button" onClick={() => void model.compareWith(other ? undefined : "wolfram")}>
          {other ? "End the comparison" : "Compare with another policy"}
        </button>
      </div>
    </>
  );
}

function PolicyEditor({ model, track, name }: { model: Model; track: Track; name: string }) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  // The editor outlives the tracks, so it reads the one that it belongs to now.
  const current = useRef(track);
  current.current = track;

  useEffect(() => {
    if (!place.current) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    editor.current = createEditor(place.current, name, current.current.text, (text) => {
      clearTimeout(timer);
      timer = setTimeout(() => void model.setPolicy(current.current, text), PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      editor.current?.destroy();
    };
  }, []);
  useEffect(() => {
    if (editor.current) setText(editor.current, track.text);
  }, [track]);
  useEffect(() => {
    if (editor.current) showError(editor.current, track.error);
  }, [track.error, track.text]);

  return (
    <section class="group">
      <h2>{name}</h2>
      <Field label="begin with">
        <select
          value={track.preset ?? ""}
          onChange={(event) => void model.setPreset(track, event.currentTarget.value as PresetName)}
        >
          {!track.preset && <option value="">changed</option>}
          {Object.keys(presets).map((preset) => (
            <option value={preset} key={preset}>
              {preset}
            </option>
          ))}
        </select>
      </Field>
      <p class={track.error ? "problem" : "fine"} role="status">
        {track.error ? located(track.text, track.error) : "The core accepts this policy."}
      </p>
      <div class="editor" ref={place} />
    </section>
  );
}

function located(text: string, error: string): string {
  const line = lineOf(text, error);
  return line === undefined ? error : `Line ${line}: ${error}`;
}
