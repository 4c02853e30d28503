// Functions that run later. What those of the server's author throw belongs to their author and must not stop a connection.

/** Runs a callback; an exception or a rejected promise becomes a warning of the process. */
export function guarded(run: () => unknown): void {
  try {
    const result = run();
    if (typeof (result as PromiseLike<unknown> | undefined)?.then === "function") Promise.resolve(result).catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  let text = "a callback threw a value that has no text";
  try {
    text = String(error);
  } catch {
    // Such as an object without a prototype.
  }
  process.emitWarning(error instanceof Error ? error : text);
}

/** Passes a value to the one who waits for it under a key. */
export function settle<T>(waiting: Map<number, (value: T) => void>, key: number, value: T): void {
  const resolve = waiting.get(key);
  waiting.delete(key);
  resolve?.(value);
}
