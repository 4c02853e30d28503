// The least that a call into another language and reading its messages cost.

/** A WebAssembly module with one function that does nothing. */
const EMPTY = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // the head
  ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00], // one type: no parameters, no results
  ...[0x03, 0x02, 0x01, 0x00], // one function of this type
  ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00], // it is exported as "f"
  ...[0x0a, 0x04, 0x01, 0x02, 0x00, 0x0b], // its code is empty
]);

export const emptyWasmCall = () => new WebAssembly.Instance(new WebAssembly.Module(EMPTY)).exports.f;

/** Writes and reads the same messages as text, as each side of a boundary must. */
export function jsonOf(messages) {
  const texts = messages.map((message) => JSON.stringify(message));
  return () => {
    for (const text of texts) JSON.parse(text);
  };
}
