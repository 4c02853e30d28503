import { useState } from "preact/hooks";
import type { Frame } from "../stage.js";

export function Explanation({ frame }: { frame: Frame | undefined }) {
  const [isWire, setWire] = useState(false);
  const text = isWire ? wire(frame) : (frame?.explanation?.text ?? "");
  return (
    <section class="explanation" aria-label="Explanation">
      <h2>
        {isWire ? "Events and actions of this step" : "Explanation"}
        <button type="button" class="small" aria-pressed={isWire} onClick={() => setWire(!isWire)}>
          as JSON
        </button>
      </h2>
      <pre class="scroll" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}

const wire = (frame: Frame | undefined): string =>
  (frame?.steps ?? [])
    .map(
      ({ now, event, output }) =>
        `${now} ms\n${JSON.stringify(event, null, 2)}\nreturns ${JSON.stringify(output, null, 2)}`,
    )
    .join("\n\n");
