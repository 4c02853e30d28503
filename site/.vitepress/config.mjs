// The site that scripts/docs.mjs builds: this folder, copied beside the pages.
import { placeOf, sections } from "./pages.mjs";

const link = (page) => page.api ?? `/${placeOf(page).replace(/\.md$/, "")}`;
const entry = (page) => ({ text: page.title, link: link(page), ...(page.api ? { target: "_self" } : {}) });

export default {
  title: "Rootwise",
  description: "Tells an MCP server which project its client is working in",
  cleanUrls: false,
  // On a narrow screen a diagram scrolls, because its text could not be read if it shrank to the column.
  head: [["style", {}, "pre.mermaid { overflow-x: auto } pre.mermaid svg { min-width: 480px }"]],
  lastUpdated: false,
  // Made by other tools, after the pages.
  ignoreDeadLinks: [/^\/api\//, /^\/playground\//],
  markdown: {
    config(markdown) {
      const { fence } = markdown.renderer.rules;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index];
        return info === "mermaid"
          ? `<pre class="mermaid" v-pre>${markdown.utils.escapeHtml(content)}</pre>\n`
          : fence(tokens, index, ...rest);
      };
    },
  },
  themeConfig: {
    nav: [
      { text: "Tutorials", link: "/tutorials/typescript" },
      { text: "Guides", link: "/guides/http" },
      { text: "Policy", link: "/policy" },
      { text: "Playground", link: "/playground/index.html", target: "_self" },
      {
        text: "API",
        items: sections
          .flatMap(({ pages }) => pages)
          .filter(({ api }) => api?.startsWith("/api/"))
          .map(entry),
      },
    ],
    sidebar: sections.map(({ title, pages }) => ({ text: title, items: pages.map(entry) })),
    search: { provider: "local" },
    outline: [2, 3],
    notFound: {
      title: "There is no such page",
      quote: "The address may be mistyped, or the page has moved. The search above covers all pages.",
      linkText: "Go to the start page",
    },
  },
};
