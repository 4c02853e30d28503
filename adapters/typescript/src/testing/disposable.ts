/** Makes `using` end an object, where the runtime knows it. */
export function disposable<T extends { end(): void }>(of: T): T & Disposable {
  if (Symbol.dispose) Object.defineProperty(of, Symbol.dispose, { value: () => of.end() });
  return of as T & Disposable;
}
