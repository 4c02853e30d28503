// The editor of a policy: JSON with completion from the schema, and the core's own errors at the field that they name.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonLanguage } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { type Diagnostic, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { namesAt, type Suggestion, valuesAt } from "./schema.js";

type Path = (string | number)[];
type Tree = ReturnType<typeof syntaxTree>;
type SyntaxNode = Tree["topNode"];

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--ink)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--disk)" },
]);

/** An editor below `parent`; `changed` gets the text after each change of the user. */
export function createEditor(
  parent: HTMLElement,
  label: string,
  text: string,
  changed: (text: string) => void,
): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        json(),
        jsonLanguage.data.of({ autocomplete: complete }),
        autocompletion({ icons: false }),
        // Below the page itself: the panel would cut them off.
        tooltips({ parent: document.body }),
        syntaxHighlighting(colours),
        // Tab leaves the editor, as it leaves every other field.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((transaction) => transaction.isUserEvent("reset")))
            changed(update.state.doc.toString());
        }),
      ],
    }),
  });
}

/** Replaces the whole text, as another policy was chosen. */
export function setText(editor: EditorView, text: string): void {
  if (editor.state.doc.toString() === text) return;
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, userEvent: "reset" });
}

/** Shows an error of the core at the field that it names. */
export function showError(editor: EditorView, message: string | undefined): void {
  const diagnostics: Diagnostic[] = [];
  if (message !== undefined) {
    const { from, to } = placeOf(editor.state, pathIn(message) ?? []);
    diagnostics.push({ from, to, severity: "error", message });
  }
  editor.dispatch(setDiagnostics(editor.state, diagnostics));
}

/** The field that an error names: `bad options at sources[0].from: …`; undefined if it names none of a policy. */
export function pathIn(message: string): Path | undefined {
  const [, written] = /^bad options at ([^:\s]+):/.exec(message) ?? [];
  if (written === undefined || /^host\b/.test(written)) return undefined;
  return [...written.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
}

/** The line of the field that an error names. */
export function lineOf(text: string, message: string): number | undefined {
  const path = pathIn(message);
  if (!path) return undefined;
  const state = EditorState.create({ doc: text, extensions: [json()] });
  return state.doc.lineAt(placeOf(state, path).from).number;
}

function placeOf(state: EditorState, path: Path): { from: number; to: number } {
  let node = syntaxTree(state).topNode.firstChild;
  let place = { from: 0, to: Math.min(1, state.doc.length) };
  for (const [index, step] of path.entries()) {
    const found: SyntaxNode | null = node && child(node, step, path.slice(index), state.doc);
    if (!found) break;
    place = { from: found.from, to: found.to };
    node = found.name === "Property" ? found.lastChild : found;
  }
  return place;
}

/** The part of a node that a step leads to; the keys of texts have dots, so that the rest of the path may be one name. */
function child(node: SyntaxNode, step: string | number, rest: Path, text: Text): SyntaxNode | null {
  if (typeof step === "number") return values(node)[step] ?? null;
  return member(node, step, text) ?? member(node, rest.join("."), text);
}

function member(node: SyntaxNode, name: string, text: Text): SyntaxNode | null {
  return node.getChildren("Property").find((property) => nameOf(property, text) === name) ?? null;
}

function values(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (!["[", "]", ",", "⚠"].includes(child.name)) found.push(child);
  return found;
}

function nameOf(property: SyntaxNode, text: Text): string | undefined {
  const name = property.getChild("PropertyName");
  if (!name) return undefined;
  try {
    return JSON.parse(text.sliceString(name.from, name.to)) as string;
  } catch {
    return undefined;
  }
}

/** Where a node is in the document. */
function pathOf(node: SyntaxNode, text: Text): Path {
  const path: Path = [];
  for (let at: SyntaxNode | null = node; at; at = at.parent) {
    const { parent } = at;
    if (at.name === "Property") path.unshift(nameOf(at, text) ?? "");
    else if (parent?.name === "Array")
      path.unshift(
        Math.max(
          0,
          values(parent).findIndex(({ from }) => from === at?.from),
        ),
      );
  }
  return path;
}

function complete(context: CompletionContext) {
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const isName = node.name === "PropertyName" || node.name === "Object" || node.name === "{";
  const word = context.matchBefore(/"?[\w$-]*/);
  if (!context.explicit && (!word || word.from === word.to)) return null;
  const holder = isName ? closest(node, "Object") : node;
  const path = holder ? pathOf(holder, state.doc) : [];
  const inProperty = !isName && (node.name === "Property" || node.name === ":");
  const suggestions = isName
    ? namesAt(path)
    : valuesAt(inProperty ? pathOf(closest(node, "Property") ?? node, state.doc) : path);
  if (suggestions.length === 0) return null;
  const written = word?.from ?? pos;
  // A name that closes its quotes replaces those that stand behind the cursor.
  const to = state.sliceDoc(pos, pos + 1) === '"' && state.sliceDoc(written, written + 1) === '"' ? pos + 1 : pos;
  return {
    from: written,
    to,
    options: suggestions.map((suggestion) => option(suggestion, isName, state.sliceDoc(to, to + 1) === ":")),
    validFor: /^"?[\w$-]*$/,
  };
}

function option({ label, info }: Suggestion, isName: boolean, hasColon: boolean) {
  const written = isName ? JSON.stringify(label) : label;
  return {
    label: written,
    displayLabel: label,
    apply: isName && !hasColon ? `${written}: ` : written,
    type: isName ? "property" : "constant",
    ...(info ? { info } : {}),
  };
}

function closest(node: SyntaxNode, name: string): SyntaxNode | null {
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (at.name === name) return at;
  return null;
}
