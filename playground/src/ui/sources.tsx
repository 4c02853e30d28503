import type { Explanation, SourceReport, Verdict } from "rootwise";
import { Icon, type IconName } from "./icon.js";

const VERDICTS: Record<Verdict, { sign: IconName; word: string; tone: string }> = {
  won: { sign: "won", word: "won", tone: "good" },
  agrees: { sign: "equal", word: "agrees", tone: "plain" },
  otherFolder: { sign: "equal", word: "same repository, other folder", tone: "waiting" },
  disagrees: { sign: "unequal", word: "disagrees", tone: "waiting" },
  absent: { sign: "absent", word: "absent", tone: "quiet" },
  rejected: { sign: "remove", word: "rejected", tone: "bad" },
  off: { sign: "off", word: "off", tone: "quiet" },
  notAsked: { sign: "absent", word: "not asked", tone: "quiet" },
  pending: { sign: "waiting", word: "pending", tone: "waiting" },
};

export function Sources({ explanation }: { explanation: Explanation | undefined }) {
  return (
    <section class="sources" aria-label="Sources">
      <h2>Sources, highest rank first</h2>
      <div class="scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">source</th>
              <th scope="col">verdict</th>
              <th scope="col">what it names</th>
            </tr>
          </thead>
          <tbody>
            {(explanation?.tried ?? []).map((report, index) => (
              <SourceRow report={report} key={index} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function SourceRow({ report }: { report: SourceReport }) {
  const { source, verdict, value, via, reason, reads } = report;
  const { sign, word, tone } = VERDICTS[verdict];
  const named = [via, value].filter(Boolean).join(" = ") || (reads ?? []).join(", ");
  return (
    <tr class={tone}>
      <th scope="row">{source}</th>
      <td class="verdict">
        <Icon name={sign} /> {word}
        {reason && <small> {reason}</small>}
      </td>
      <td class="named" title={named}>
        {named}
      </td>
    </tr>
  );
}
