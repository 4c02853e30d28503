import type { ComponentChildren } from "preact";

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}
