/** A text with names between backticks and emphasis between asterisks. */
export function Marked({ text }: { text: string }) {
  return <>{text.split(/(`[^`]*`|\*[^*`]+\*)/).map(part)}</>;
}

function part(text: string, index: number) {
  if (index % 2 === 0) return text;
  const inside = text.slice(1, -1);
  return text.startsWith("`") ? <code key={index}>{inside}</code> : <em key={index}>{inside}</em>;
}
