import { useState } from "preact/hooks";
import { policyInputs } from "rootwise";
import { clients, MODERN } from "../clients.js";
import type { Model } from "../model.js";
import { type CallFacts, type ClientFacts, type RootEntry, transportOf } from "../story.js";
import { Field } from "./field.js";

export function EventsTab({ model }: { model: Model }) {
  const [chosen, setChosen] = useState(0);
  const [hasRoots, setRoots] = useState<boolean | undefined>(undefined);
  const [isModern, setModern] = useState(false);
  const [hasForms, setForms] = useState<boolean | undefined>(undefined);
  const [conversation, setConversation] = useState("");
  const [caller, setCaller] = useState("");
  const client = clients[chosen] ?? (clients[0] as (typeof clients)[0]);
  const declares = hasRoots ?? client.facts.roots !== undefined;
  const shows = hasForms ?? Boolean(client.facts.forms);
  const { roots: _declared, forms: _shown, ...plain } = client.facts;
  const facts: ClientFacts = {
    ...plain,
    protocol: isModern ? MODERN : plain.protocol === MODERN ? "2025-11-25" : plain.protocol,
    ...(declares ? { roots: client.facts.roots ?? {} } : {}),
    ...(shows ? { forms: true } : {}),
  };
  const [anyKey = ""] = policyInputs(model.main.policy).conversation;
  const key = client.conversation ?? anyKey;
  const isHttp = transportOf(model.host) === "http";
  // What every call of this client brings.
  const own: CallFacts = {
    ...(isModern ? { modern: facts } : {}),
    ...(conversation ? { meta: { [key]: conversation } } : {}),
    ...(caller && isHttp ? { caller } : {}),
  };
  return (
    <>
      <section class="group">
        <h2>The client</h2>
        <Field label="Client">
          <select
            value={chosen}
            onChange={(event) => {
              const index = Number(event.currentTarget.value);
              setChosen(index);
              setRoots(undefined);
              setForms(undefined);
              setModern(clients[index]?.facts.protocol === MODERN);
            }}
          >
            {clients.map(({ title }, index) => (
              <option value={index} key={title}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        <p class="about client" tabIndex={0}>
          {client.about}
        </p>
        <label class="check">
          <input type="checkbox" checked={declares} onChange={(event) => setRoots(event.currentTarget.checked)} />
          declares roots
        </label>
        <label class="check">
          <input type="checkbox" checked={shows} onChange={(event) => setForms(event.currentTarget.checked)} />
          shows forms to its user
        </label>
        <label class="check">
          <input type="checkbox" checked={isModern} onChange={(event) => setModern(event.currentTarget.checked)} />
          speaks revision 2026-07-28, which has no handshake
        </label>
        <details>
          <summary>Conversation and caller</summary>
          <Field label={`id of the conversation, _meta ${key}`}>
            <input value={conversation} onInput={(event) => setConversation(event.currentTarget.value)} />
          </Field>
          <Field label="caller, as an HTTP server has authenticated it">
            <input value={caller} disabled={!isHttp} onInput={(event) => setCaller(event.currentTarget.value)} />
          </Field>
        </details>
        <div class="buttons">
          <button
            type="button"
            disabled={isModern}
            onClick={() => void model.play({ do: "initialize", client: facts }, { do: "ready" })}
          >
            Connect
          </button>
          <button
            type="button"
            disabled={isModern}
            onClick={() => void model.play({ do: "initialize", client: facts })}
          >
            initialize only
          </button>
          <button type="button" onClick={() => void model.play({ do: "close" })}>
            Disconnect
          </button>
        </div>
      </section>
      <CallForm model={model} own={own} />
      <RootsForm model={model} />
      <UserForm model={model} />
      <section class="group">
        <h2>The stream</h2>
        <div class="buttons">
          <button
            type="button"
            disabled={transportOf(model.host) !== "http"}
            onClick={() => void model.play({ do: "stream" })}
          >
            Open
          </button>
          <button
            type="button"
            disabled={!model.frame?.hasStream}
            onClick={() => void model.play({ do: "break", end: "broken" })}
          >
            Break
          </button>
          <button
            type="button"
            disabled={!model.frame?.hasStream}
            onClick={() => void model.play({ do: "break", end: "cut" })}
          >
            Cut
          </button>
          <button
            type="button"
            disabled={transportOf(model.host) !== "http"}
            onClick={() => void model.play({ do: "resume" })}
          >
            Resume
          </button>
        </div>
      </section>
      <SwitchForm model={model} own={own} />
    </>
  );
}

function CallForm({ model, own }: { model: Model; own: CallFacts }) {
  const [argument, setArgument] = useState("");
  const [header, setHeader] = useState("");
  const [meta, setMeta] = useState("");
  const [target, setTarget] = useState("");
  const inputs = policyInputs(model.main.policy);
  const [headerName] = inputs.headers;
  const [metaPath] = inputs.meta;
  const facts: CallFacts = {
    ...own,
    ...(argument ? { argument } : {}),
    ...(header && headerName ? { headers: { [headerName]: header } } : {}),
    ...(meta && metaPath ? { meta: { ...own.meta, ...nested(metaPath, meta) } } : {}),
    ...(target ? { target } : {}),
  };
  return (
    <section class="group">
      <h2>A call</h2>
      <Field label={`argument ${model.host.toolArgument ?? ""}`.trim()}>
        <input
          value={argument}
          placeholder="/absolute/path"
          onInput={(event) => setArgument(event.currentTarget.value)}
        />
      </Field>
      <Field label={headerName ? `header ${headerName}` : "header (the policy reads none)"}>
        <input value={header} disabled={!headerName} onInput={(event) => setHeader(event.currentTarget.value)} />
      </Field>
      <Field label={metaPath ? `_meta ${metaPath.join(" / ")}` : "_meta (the policy reads none)"}>
        <input value={meta} disabled={!metaPath} onInput={(event) => setMeta(event.currentTarget.value)} />
      </Field>
      <Field label="a file that it touches">
        <input value={target} onInput={(event) => setTarget(event.currentTarget.value)} />
      </Field>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void model.play({ do: "call", ...facts })}>
          Call a tool
        </button>
        <button type="button" disabled={!model.frame?.waiting} onClick={() => void model.play({ do: "cancel" })}>
          Cancel the call
        </button>
      </div>
    </section>
  );
}

const nested = (path: readonly string[], value: string): Record<string, unknown> =>
  path.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;

function RootsForm({ model }: { model: Model }) {
  const [text, setText] = useState("file:///home/ada/shop");
  const roots = entries(text);
  const isAsked = Boolean(model.frame?.isAsked);
  const wait = model.frame?.deadline;
  return (
    <section class="group">
      <h2>The client's roots</h2>
      <Field label="one URI in each line; a name may follow after a space">
        <textarea rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      <p class="about">
        {isAsked ? "The server has asked and waits." : "Nobody has asked: an answer waits for the question."}
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void model.play({ do: "answer", roots })}>
          Answer
        </button>
        <button type="button" onClick={() => void model.play({ do: "answer", roots: [] })}>
          Empty list
        </button>
        <button type="button" onClick={() => void model.play({ do: "refuse" })}>
          Refuse
        </button>
        <button
          type="button"
          onClick={() => void model.play({ do: "refuse", code: -32603, message: "Internal error" })}
        >
          Fail
        </button>
        <button type="button" onClick={() => void model.play({ do: "answer", result: "not a list" })}>
          Junk
        </button>
        <button type="button" disabled={wait == null} onClick={() => void model.play({ do: "deadline" })}>
          Stay silent
        </button>
        <button
          type="button"
          disabled={!isAsked}
          onClick={() => void model.play({ do: "wait", ms: 6_000 }, { do: "answer", roots })}
        >
          Answer after 6 s
        </button>
        <button type="button" onClick={() => void model.play({ do: "answer", roots, again: true })}>
          Answer again
        </button>
        <button type="button" onClick={() => void model.play({ do: "changed" })}>
          Roots changed
        </button>
      </div>
    </section>
  );
}

/** The form that the client shows to its user, if the server has asked for one. */
function UserForm({ model }: { model: Model }) {
  const [text, setText] = useState("");
  const form = model.frame?.form;
  const { options = [], message = "" } = form ?? {};
  const project = options.length === 0 || options.includes(text) ? text : (options[0] ?? "");
  return (
    <section class="group">
      <h2>The user's form</h2>
      <p class="about question" tabIndex={0}>
        {form
          ? message
          : "No form is open. A policy with elicit asks the user where nothing says which folder is meant."}
      </p>
      <Field label="project">
        {options.length > 0 ? (
          <select value={project} onChange={(event) => setText(event.currentTarget.value)}>
            {options.map((option) => (
              <option value={option} key={option}>
                {option}
              </option>
            ))}
          </select>
        ) : (
          <input
            value={text}
            disabled={!form}
            placeholder="/absolute/path"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="buttons">
        <button type="button" class="primary" disabled={!form} onClick={() => void model.play({ do: "form", project })}>
          Accept
        </button>
        <button type="button" disabled={!form} onClick={() => void model.play({ do: "form" })}>
          Decline
        </button>
      </div>
    </section>
  );
}

function entries(text: string): RootEntry[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [uri = "", ...name] = line.split(/\s+/);
      return { uri, ...(name.length > 0 ? { name: name.join(" ") } : {}) };
    });
}

function SwitchForm({ model, own }: { model: Model; own: CallFacts }) {
  const [value, setValue] = useState("/home/ada/shop");
  return (
    <section class="group">
      <h2>A tool switches the project</h2>
      <Field label="name, path or URI">
        <input value={value} onInput={(event) => setValue(event.currentTarget.value)} />
      </Field>
      <div class="buttons">
        <button type="button" onClick={() => void model.play({ do: "select", by: { value }, ...own })}>
          Switch
        </button>
        <button type="button" onClick={() => void model.play({ do: "clear", ...own })}>
          Clear
        </button>
      </div>
    </section>
  );
}
