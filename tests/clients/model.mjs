// A model on loopback that calls the tools it is told to call. It speaks what clients speak to models: OpenAI's chat and
// responses, Anthropic's messages, Gemini's generateContent. It never thinks: how many tool results a conversation already
// has says which call is next.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const DONE = "Done.";
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Listens on a port of loopback; `calls` are `{ tool, arguments, afterMs }` in order; `log` gets a record of every request. */
export async function serveModel(calls, port, log) {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const api = APIS.find(({ path }) => path.test(request.url));
    if (!api) {
      log({ url: request.url, unknown: true });
      return send(response, 404, { error: { message: `the stub has no ${request.url}` } });
    }
    const { tools = [], results = 0 } = api.read?.(body) ?? {};
    const call = nextCall(calls, tools, results);
    log({ url: request.url, tools: tools.map(({ name }) => name), results, call: call?.name });
    await wait(call?.afterMs ?? 0);
    const answer = api.answer(call, body, `${Date.now()}`);
    return Array.isArray(answer) ? stream(response, answer, api.end) : send(response, 200, answer);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

/** The call that comes after this many results, if the request offers its tool. Clients write a server's name before the tool's. */
function nextCall(calls, tools, results) {
  const next = calls[results];
  if (!next) return undefined;
  const pattern = new RegExp(`(^|[^a-z])${next.tool}$`);
  const tool = tools.find(({ name }) => pattern.test(name));
  return tool && { ...next, ...tool, arguments: next.arguments ?? {} };
}

const named = (tools) => tools.map((tool) => ({ name: tool.name ?? tool.function?.name ?? tool.type }));

const chat = {
  path: /\/chat\/completions/,
  end: "data: [DONE]\n\n",
  read: ({ tools, messages = [] }) => ({
    tools: named(tools ?? []),
    results: messages.filter(({ role }) => role === "tool").length,
  }),
  answer(call, { model, stream: streams }, id) {
    const base = { id, created: 1, model };
    const calls = call && [
      {
        index: 0,
        id: `call_${id}`,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      },
    ];
    const message = { role: "assistant", content: call ? null : DONE, ...(calls ? { tool_calls: calls } : {}) };
    const finish = call ? "tool_calls" : "stop";
    if (!streams)
      return {
        ...base,
        object: "chat.completion",
        usage: USAGE,
        choices: [{ index: 0, message, finish_reason: finish }],
      };
    const chunk = (delta, reason, usage) => ({
      data: { ...base, object: "chat.completion.chunk", usage, choices: [{ index: 0, delta, finish_reason: reason }] },
    });
    return [chunk(message, null, null), chunk({}, finish, USAGE)];
  },
};

const responses = {
  path: /\/responses/,
  read: ({ tools, input }) => ({
    // Codex offers the tools of one server as one namespace.
    tools: (tools ?? []).flatMap((tool) =>
      tool.tools ? tool.tools.map(({ name }) => ({ name, namespace: tool.name })) : named([tool]),
    ),
    results: (Array.isArray(input) ? input : []).filter(({ type }) => /call_output$/.test(type ?? "")).length,
  }),
  answer(call, { model, stream: streams }, id) {
    const text = { type: "output_text", text: DONE, annotations: [] };
    const item = call
      ? {
          type: "function_call",
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name: call.name,
          namespace: call.namespace,
          arguments: JSON.stringify(call.arguments),
          status: "completed",
        }
      : { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [text] };
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const whole = {
      id: `resp_${id}`,
      object: "response",
      created_at: 1,
      model,
      status: "completed",
      output: [item],
      usage,
    };
    if (!streams) return whole;
    const at = { output_index: 0, item_id: item.id };
    const part = { ...at, content_index: 0 };
    const events = [
      ["response.created", { response: { ...whole, status: "in_progress", output: [] } }],
      ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } }],
      ...(call
        ? [["response.function_call_arguments.done", { ...at, arguments: item.arguments }]]
        : [
            ["response.content_part.added", { ...part, part: { ...text, text: "" } }],
            ["response.output_text.delta", { ...part, delta: DONE }],
          ]),
      ["response.output_item.done", { output_index: 0, item }],
      ["response.completed", { response: whole }],
    ];
    return events.map(([event, data], index) => ({ event, data: { type: event, sequence_number: index, ...data } }));
  },
};

const messages = {
  path: /\/messages/,
  read: ({ tools, messages: all = [] }) => ({
    tools: named(tools ?? []),
    results: all
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === "tool_result").length,
  }),
  answer(call, { model, stream: streams }, id) {
    const block = call
      ? { type: "tool_use", id: `toolu_${id}`, name: call.name, input: call.arguments }
      : { type: "text", text: DONE };
    const reason = call ? "tool_use" : "end_turn";
    const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const whole = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [block],
      stop_reason: reason,
      stop_sequence: null,
      usage,
    };
    if (!streams) return whole;
    const started = call ? { ...block, input: {} } : { ...block, text: "" };
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) }
      : { type: "text_delta", text: DONE };
    const events = [
      ["message_start", { message: { ...whole, content: [], stop_reason: null } }],
      ["content_block_start", { index: 0, content_block: started }],
      ["content_block_delta", { index: 0, delta }],
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } }],
      ["message_stop", {}],
    ];
    return events.map(([event, data]) => ({ event, data: { type: event, ...data } }));
  },
};

const gemini = (path, wrap) => ({
  path,
  read: ({ tools, contents = [] }) => ({
    tools: (tools ?? []).flatMap(({ functionDeclarations = [] }) => named(functionDeclarations)),
    results: contents.flatMap(({ parts = [] }) => parts).filter(({ functionResponse }) => functionResponse).length,
  }),
  answer(call) {
    const part = call ? { functionCall: { name: call.name, args: call.arguments } } : { text: DONE };
    return wrap({
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: "stub",
    });
  },
});

const fixed = (path, answer) => ({ path, answer: () => answer });

// The first that fits answers.
const APIS = [
  chat,
  responses,
  fixed(/\/messages\/count_tokens/, { input_tokens: 1 }),
  messages,
  gemini(/:streamGenerateContent/, (data) => [{ data }]),
  gemini(/:generateContent/, (data) => data),
  fixed(/:countTokens/, { totalTokens: 1 }),
  fixed(/\/models(\?|$)/, {
    object: "list",
    data: [{ id: "stub-model", object: "model", created: 1, owned_by: "stub" }],
  }),
];

async function bodyOf(request) {
  let text = "";
  for await (const part of request) text += part;
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function stream(response, events, end = "") {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of events)
    response.write(`${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
  response.end(end);
}
