import eras from "../stories/eras.json";
import faults from "../stories/faults.json";
import more from "../stories/more.json";
import seeds from "../stories/seeds.json";
import type { Story } from "./story.js";

export interface StoryGroup {
  title: string;
  stories: Story[];
}

// Their files are data, which the tests play; the compiler knows only that their texts are texts.
export const groups: StoryGroup[] = [
  { title: "How a server asks", stories: eras as unknown as Story[] },
  { title: "What clients do wrong", stories: faults as unknown as Story[] },
  { title: "What else a server can do", stories: more as unknown as Story[] },
  { title: "Five servers and their rules", stories: seeds as unknown as Story[] },
];

export const stories: Story[] = groups.flatMap((group) => group.stories);
