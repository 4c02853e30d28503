// The site that scripts/docs.mjs builds: this folder, copied beside the pages.
import { placeOf, sections } from "./pages.mjs";

const link = (page) => page.api ?? `/${placeOf(page).replace(/\.md$/, "")}`;
const entry = (page) => ({ text: page.title, link: link(page), ...(page.api ? { target: "_self" } : {}) });

export default {
  title: "Rootwise",
  description: "Tells an MCP server which project its client is working in",
  cleanUrls: false,
  // Shrunk to the column, a large diagram could not be read: it scrolls.
  head: [["style", {}, "pre.mermaid { overflow-x: auto } pre.mermaid svg { min-width: 1600px }"]],
  lastUpdated: false,
  // Made by other tools, after the pages.
  ignoreDeadLinks: [/^\/api\//],
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
      {
        text: "API",
        items: sections
          .flatMap(({ pages }) => pages)
          .filter(({ api }) => api)
          .map(entry),
      },
    ],
    sidebar: sections.map(({ title, pages }) => ({ text: title, items: pages.map(entry) })),
    search: { provider: "local" },
    outline: [2, 3],
  },
};
