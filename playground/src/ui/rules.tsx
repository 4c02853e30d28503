import rules from "virtual:rootwise-rules";
import { Marked } from "./marked.js";

/** The rules that a story shows, each with its text to open. */
export function Rules({ numbers }: { numbers: readonly (number | string)[] }) {
  return (
    <span class="rules">
      {numbers.length > 1 ? "Rules" : "Rule"}
      {numbers.map((number) => (
        <span key={number}>
          <button type="button" class="small" popovertarget={`rule-${number}`} aria-label={`Rule ${number}`}>
            {number}
          </button>
          <div class="rule" popover="auto" id={`rule-${number}`}>
            <h2>Rule {number}</h2>
            {(rules[number] ?? []).map((block, index) => (
              <p class={block.startsWith("- ") ? "item" : ""} key={index}>
                <Marked text={block.replace(/^- /, "")} />
              </p>
            ))}
          </div>
        </span>
      ))}
    </span>
  );
}
