// The theme of VitePress, and diagrams: Markdown holds them as Mermaid text, which the browser draws.
import { useData, useRoute, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { nextTick, onMounted, watch } from "vue";

/** Loads Mermaid as its package carries it: bundling it would take longer than the rest of the site. */
function mermaid() {
  if (window.mermaid) return window.mermaid;
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), {
      src: withBase("/mermaid.min.js"),
      onerror: reject,
    });
    script.onload = () => resolve(window.mermaid);
    document.head.append(script);
  });
}

/** Draws every diagram of the page, again where the reader changes the colours. */
async function draw(isDark) {
  await nextTick();
  const nodes = document.querySelectorAll("pre.mermaid");
  if (nodes.length === 0) return;
  const { initialize, run } = await mermaid();
  initialize({ startOnLoad: false, theme: isDark ? "dark" : "neutral" });
  for (const node of nodes) {
    node.dataset.text ??= node.textContent;
    node.textContent = node.dataset.text;
    node.removeAttribute("data-processed");
  }
  await run({ nodes });
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    const { isDark } = useData();
    const redraw = () => draw(isDark.value);
    onMounted(redraw);
    watch([() => route.path, isDark], redraw);
  },
};
