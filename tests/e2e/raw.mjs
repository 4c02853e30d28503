// A hand-written HTTP client, for tests that decide what happens to each stream.
import assert from "node:assert/strict";
import { presets } from "rootwise";

/** The recommended policy, with tools that may select any folder. */
export const selectAnywhere = {
  ...presets.recommended,
  sources: presets.recommended.sources.map((source) =>
    source.from === "selected" ? { ...source, within: "anywhere" } : source,
  ),
};

export const list = (...paths) => ({ roots: paths.map((path) => ({ uri: `file://${path}` })) });

/** Shorter than any wait: whoever takes longer waited for a request that is lost. */
const AT_ONCE_MS = 4_000;

/** A hand-written client. */
export class Peer {
  #url;
  #session;
  #ids = 0;

  constructor(url) {
    this.#url = url;
  }

  #headers() {
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      ...(this.#session ? { "mcp-session-id": this.#session } : {}),
    };
  }

  post(message, signal) {
    return this.raw(JSON.stringify({ jsonrpc: "2.0", ...message }), signal);
  }

  /** Posts a text as it is. */
  async raw(body, signal) {
    const response = await fetch(this.#url, { method: "POST", headers: this.#headers(), body, signal });
    this.#session ??= response.headers.get("mcp-session-id") ?? undefined;
    return response;
  }

  async open(capabilities = { roots: { listChanged: true } }) {
    await this.initialize(capabilities);
    await this.notify("notifications/initialized");
    return this;
  }

  /** Sends `initialize`; returns its result. */
  async initialize(capabilities) {
    const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "streams", version: "1" } };
    return (await messages(await this.post({ id: ++this.#ids, method: "initialize", params }))()).result;
  }

  /** Ends the session. */
  async close() {
    await fetch(this.#url, { method: "DELETE", headers: this.#headers() });
  }

  async notify(method, params) {
    await (await this.post({ method, params })).text();
  }

  answer(id, result) {
    return this.post({ id, result });
  }

  /** A call, by its id, whose messages are read one by one; `drop` cuts its connection. */
  async call(name = "where") {
    const abort = new AbortController();
    const id = ++this.#ids;
    const response = await this.post({ id, method: "tools/call", params: { name, arguments: {} } }, abort.signal);
    return { id, next: messages(response), drop: () => abort.abort() };
  }

  /** Opens the stream for messages outside calls, or resumes the stream of a call after an event. */
  async get(after) {
    const abort = new AbortController();
    const headers = { ...this.#headers(), accept: "text/event-stream", ...(after ? { "last-event-id": after } : {}) };
    const response = await fetch(this.#url, { headers, signal: abort.signal });
    assert.equal(response.status, 200);
    return { next: messages(response), drop: () => abort.abort() };
  }
}

/** Reads the messages of a response one by one; `last` is the id of the last event. */
export function messages(response) {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return () => response.json();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async () => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        next.last = /^id: (.*)$/m.exec(event)?.[1] ?? next.last;
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        if (data && data.length > 6) return JSON.parse(data.slice(6));
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text = (text + value).replaceAll("\r\n", "\n");
    }
  };
  return next;
}

export const said = ({ result }) => result.content[0].text;
export const within = async (promise, ms = AT_ONCE_MS) => {
  let timer;
  const late = new Promise(
    (_, reject) => (timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms)),
  );
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** Runs a call to its end; the client has these roots. */
export async function ask(peer, roots, name) {
  const { next } = await peer.call(name);
  let asked = 0;
  for (;;) {
    const message = await within(next());
    if (message.method !== "roots/list") return { text: said(message), asked };
    asked += 1;
    await (await peer.answer(message.id, roots)).text();
  }
}
