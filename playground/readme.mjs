// The list of stories in the README of the playground, which pages of the documentation link to.
export const storyList = (stories) =>
  stories.map(({ id, title, text }) => `### ${id}\n\n**${title}.** ${text}\n`).join("\n");

/** The README with the list between its marks. */
export const withList = (readme, stories) =>
  readme.replace(
    /(<!-- stories -->\n)[\s\S]*(<!-- \/stories -->)/,
    (_all, before, behind) => `${before}\n${storyList(stories)}\n${behind}`,
  );
