import { render } from "preact";
import { loadCore } from "./core.js";
import { Model } from "./model.js";
import { stories } from "./stories.js";
import { App } from "./ui/app.js";
import "./style.css";

const page = document.getElementById("page") as HTMLElement;
const model = new Model();

async function start(): Promise<void> {
  await loadCore();
  page.replaceChildren();
  model.onChange(() => render(<App model={model} />, page));
  const openFragment = () => model.openFragment(location.hash.slice(1));
  const [first] = stories;
  if (!(await openFragment()) && first) await model.open(first, "end");
  window.addEventListener("hashchange", () => void openFragment());
  // Without this, the browser would leave the page for the file.
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    void model.drop(event.dataTransfer?.files[0]);
  });
  document.documentElement.dataset.ready = "";
}

start().catch((error: unknown) => {
  page.textContent = `The playground cannot start: ${error instanceof Error ? error.message : error}. It needs a browser of 2024 or later.`;
  throw error;
});
