// The tools, prompts and resources that the conformance suite expects. Every handler reads its project first, so that the
// suite tests the server through the adapter.
import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { setTimeout } from "node:timers/promises";
import { rootwise } from "rootwise/mcp";
import { z } from "zod";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (text) => ({ type: "text", text });
const image = { type: "image", data: png, mimeType: "image/png" };
const resource = (uri, mimeType, text) => ({ type: "resource", resource: { uri, mimeType, text } });
const said = (words) => ({ content: [text(words)] });
const user = (content) => ({ role: "user", content });

export const requestState = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

/** Registers everything with a server; `changed` notifies listening clients of changes. */
export function offer(server, changed) {
  const projects = rootwise(server);
  /** Every handler first reads the project, as far as it is known. */
  const looking =
    (handler) =>
    async (...args) => {
      projects.current(args.at(-1));
      return handler(...args);
    };
  const tool = (name, handler, inputSchema) =>
    server.registerTool(
      name,
      { description: `Fixture ${name}`, ...(inputSchema ? { inputSchema } : {}) },
      looking(handler),
    );
  const prompt = (name, handler, argsSchema) =>
    server.registerPrompt(
      name,
      { description: `Fixture ${name}`, ...(argsSchema ? { argsSchema } : {}) },
      looking(handler),
    );

  contentTools(tool);
  talkingTools(tool, changed);
  askingTools(tool, projects);
  prompts(prompt);
  resources(server, looking);
  subscriptions(server);
}

function contentTools(tool) {
  tool("test_simple_text", () => said("This is a simple text response for testing."));
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }));
  tool("test_embedded_resource", () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  tool("test_multiple_content_types", () => {
    const data = JSON.stringify({ test: "data", value: 123 });
    return {
      content: [
        text("Multiple content types test:"),
        image,
        resource("test://mixed-content-resource", "application/json", data),
      ],
    };
  });
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  tool("json_schema_2020_12_tool", () => said("fine"), fromJsonSchema(richSchema));
  tool("test_x_mcp_header", ({ region }) => said(region ?? "none"), fromJsonSchema(headerSchema));
}

const richSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};
const headerSchema = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };

/** Tools that send messages or requests to their client while they run. */
function talkingTools(tool, changed) {
  for (const name of ["test_tool_with_logging", "test_logging_tool"]) {
    tool(name, async ({ mcpReq }) => {
      for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await mcpReq.log("info", words);
        await setTimeout(50);
      }
      return said("logged");
    });
  }
  tool("test_trigger_tool_change", () => (changed.toolsChanged(), said("told")));
  tool("test_trigger_prompt_change", () => (changed.promptsChanged(), said("told")));
  tool("test_tool_with_progress", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await setTimeout(50);
    }
    return said("progressed");
  });
  tool(
    "test_sampling",
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling({ messages: [user(text(prompt))], maxTokens: 100 });
      return said(`LLM response: ${[content].flat()[0].text}`);
    },
    z.object({ prompt: z.string() }),
  );
  const asked = async ({ mcpReq }, message, properties, required = []) => {
    const { action, content } = await mcpReq.elicitInput({
      mode: "form",
      message,
      requestedSchema: { type: "object", properties, required },
    });
    return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
  };
  tool(
    "test_elicitation",
    ({ message }, ctx) => asked(ctx, message, words("username", "email"), ["username", "email"]),
    z.object({ message: z.string() }),
  );
  tool("test_elicitation_sep1034_defaults", (ctx) =>
    asked(ctx, "Defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  );
  tool("test_elicitation_sep1330_enums", (ctx) => {
    const options = ["option1", "option2", "option3"];
    const titled = [1, 2, 3].map((value) => ({ const: `value${value}`, title: `Option ${value}` }));
    return asked(ctx, "Enums", {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    });
  });
  tool("test_reconnection", async ({ http }) => {
    await setTimeout(50);
    http?.closeSSE?.();
    await setTimeout(100);
    return said("reconnected");
  });
}

const words = (...names) => Object.fromEntries(names.map((name) => [name, { type: "string" }]));
const form = (message, name, type = "string") => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { [name]: { type } }, required: [name] },
  },
});
const sampling = (words, maxTokens) => ({
  method: "sampling/createMessage",
  params: { messages: [user(text(words))], maxTokens },
});

/** Tools of 2026-07-28 that return `input_required`; the adapter does this for the tool about roots. */
function askingTools(tool, projects) {
  tool("test_input_required_result_list_roots", async (ctx) => {
    const { roots } = await projects.roots(ctx);
    return said(roots.map(({ uri }) => uri).join("\n"));
  });
  const asking = (name, inputRequests, done) =>
    tool(name, ({ mcpReq }) => {
      const answers = mcpReq.inputResponses ?? {};
      if (!Object.keys(inputRequests).every((key) => answers[key])) return inputRequired({ inputRequests });
      const words = done(answers);
      return typeof words === "string" ? said(words) : inputRequired({ inputRequests });
    });
  asking(
    "test_input_required_result_elicitation",
    { user_name: form("What is your name?", "name") },
    ({ user_name }) => user_name.content?.name && `Hello, ${user_name.content.name}!`,
  );
  asking("test_streaming_elicitation", { word: form("A word?", "word") }, ({ word }) => word.content?.word);
  asking(
    "test_input_required_result_sampling",
    { capital_question: sampling("What is the capital of France?", 100) },
    ({ capital_question }) => [capital_question.content].flat()[0]?.text,
  );

  const stateful = (name, inputRequests, done) =>
    tool(name, async ({ mcpReq }) => {
      if (mcpReq.requestState() === undefined)
        return inputRequired({ inputRequests, requestState: await requestState.mint("begun") });
      return said(`${done} state-ok`);
    });
  stateful(
    "test_input_required_result_request_state",
    { confirm: form("Please confirm", "ok", "boolean") },
    "confirmed",
  );
  stateful(
    "test_input_required_result_tampered_state",
    { confirm: form("Please confirm", "ok", "boolean") },
    "confirmed",
  );
  stateful(
    "test_input_required_result_multiple_inputs",
    {
      user_name: form("What is your name?", "name"),
      greeting: sampling("Generate a greeting", 50),
      client_roots: { method: "roots/list", params: {} },
    },
    "all answered",
  );
  tool("test_input_required_result_multi_round", async ({ mcpReq }) => {
    const steps = [form("Step 1: What is your name?", "name"), form("Step 2: What is your favorite color?", "color")];
    const done = mcpReq.requestState() ?? 0;
    if (done === steps.length) return said("all steps done");
    return inputRequired({
      inputRequests: { [`step${done + 1}`]: steps[done] },
      requestState: await requestState.mint(done + 1),
    });
  });
  tool("test_input_required_result_capabilities", ({ mcpReq }) => {
    const { elicitation, sampling: samples } = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
    const inputRequests = {
      ...(elicitation ? { name: form("What is your name?", "name") } : {}),
      ...(samples ? { word: sampling("A word", 10) } : {}),
    };
    return inputRequired({ inputRequests });
  });
  tool("test_missing_capability", () => inputRequired({ inputRequests: { word: sampling("A word", 10) } }));
}

function prompts(prompt) {
  const messages = (...contents) => ({ messages: contents.map(user) });
  prompt("test_simple_prompt", () => messages(text("This is a simple prompt for testing.")));
  const argument = (description) => completable(z.string().describe(description), () => ["paris", "park", "party"]);
  prompt(
    "test_prompt_with_arguments",
    ({ arg1, arg2 }) => messages(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
    z.object({ arg1: argument("First test argument"), arg2: argument("Second test argument") }),
  );
  prompt(
    "test_prompt_with_embedded_resource",
    ({ resourceUri }) =>
      messages(
        resource(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
    z.object({ resourceUri: z.string() }),
  );
  prompt("test_prompt_with_image", () => messages(image, text("Please analyze the image above.")));
  prompt("test_input_required_result_prompt", ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.user_context?.content?.context;
    if (answer) return messages(text(answer));
    return inputRequired({ inputRequests: { user_context: form("What context should the prompt use?", "context") } });
  });
}

function resources(server, looking) {
  const fixed = (name, uri, mimeType, body) =>
    server.registerResource(
      name,
      uri,
      { description: `Fixture ${name}`, mimeType },
      looking(async () => ({ contents: [{ uri, mimeType, ...body }] })),
    );
  fixed("static-text", "test://static-text", "text/plain", {
    text: "This is the content of the static text resource.",
  });
  fixed("static-binary", "test://static-binary", "image/png", { blob: png });
  fixed("watched-resource", "test://watched-resource", "text/plain", { text: "watched" });
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource(
    "template",
    template,
    { description: "Fixture template", mimeType: "application/json" },
    looking(async ({ href }, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri: href, mimeType: "application/json", text: JSON.stringify(data) }] };
    }),
  );
}

function subscriptions({ server }) {
  server.registerCapabilities({ resources: { subscribe: true } });
  const watched = new Set();
  server.setRequestHandler("resources/subscribe", ({ params }) => (watched.add(params.uri), {}));
  server.setRequestHandler("resources/unsubscribe", ({ params }) => (watched.delete(params.uri), {}));
}
