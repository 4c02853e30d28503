// The stories as data, and their list in the README of the playground, which pages of the documentation link to.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { at } from "../scripts/tools.mjs";

/** The stories of one file. */
export const storiesIn = (name) => JSON.parse(readFileSync(at("playground", "stories", `${name}.json`), "utf8"));

export const stories = ["eras", "faults", "more", "seeds"].flatMap(storiesIn);

export const storyList = () => stories.map(({ id, title, text }) => `### ${id}\n\n**${title}.** ${text}\n`).join("\n");

/** What the list of stories in the picture of the page shows; beside the picture it says whether the picture is of today. */
export const titlesHash = () =>
  createHash("sha256")
    .update(stories.map(({ title }) => title).join("\n"))
    .digest("hex");

/** The README with the list between its marks. */
export const withList = (readme) =>
  readme.replace(
    /(<!-- stories -->\n)[\s\S]*(<!-- \/stories -->)/,
    (_all, before, behind) => `${before}\n${storyList()}\n${behind}`,
  );
