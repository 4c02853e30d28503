// The theme of VitePress, and diagrams: Markdown holds them as Mermaid text, which the browser draws.
import { useRoute, withBase } from "vitepress";
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

async function draw() {
  await nextTick();
  const nodes = document.querySelectorAll("pre.mermaid:not([data-processed])");
  if (nodes.length === 0) return;
  const { initialize, run } = await mermaid();
  const theme = document.documentElement.classList.contains("dark") ? "dark" : "neutral";
  initialize({ startOnLoad: false, theme });
  await run({ nodes });
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(draw);
    watch(() => route.path, draw);
  },
};
