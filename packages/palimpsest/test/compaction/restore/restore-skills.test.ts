/** Skills in use, as the log shows them: invoked by a tool, told by a message after it, or read as a file. */
import { expect, it } from "vitest";
import { findSkills, mergeSkills } from "#compaction/restore/restore-skills.ts";
import type { Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { assistant, call, result, user } from "../../../../../test/helpers/windows.ts";

const TEXT = "Always render a page and look at it before you say that it is right.\n".repeat(4);

const skillsIn = (messages: readonly Message[]) => findSkills(asWindow(messages));

it.each<{ why: string; messages: readonly Message[]; names: readonly string[] }>([
  {
    why: "the result of the tool is its text",
    messages: [assistant("r1", call("c1", "Skill", { skill: "pdf" })), result("c1", TEXT)],
    names: ["pdf"],
  },
  {
    why: "the text follows as a message",
    messages: [
      assistant("r1", call("c1", "Skill", { command: "pdf" })),
      result("c1", "Launching skill: pdf"),
      user(`Base directory for this skill: /home/me/.claude/skills/pdf\n\n${TEXT}`),
    ],
    names: ["pdf"],
  },
  {
    why: "its file was read",
    messages: [assistant("r1", call("c1", "Read", { file_path: "/s/slides/SKILL.md" })), result("c1", TEXT)],
    names: ["slides"],
  },
  {
    why: "it failed",
    messages: [assistant("r1", call("c1", "Skill", { skill: "pdf" })), result("c1", TEXT, true)],
    names: [],
  },
  {
    why: "another file was read",
    messages: [assistant("r1", call("c1", "Read", { file_path: "/s/SKILLS.md" })), result("c1", TEXT)],
    names: [],
  },
  {
    why: "a very long name was read",
    messages: [
      assistant("r1", call("c1", "Read", { file_path: "x".repeat(400_000) })),
      result("c1", TEXT),
      assistant("r2", call("c2", "Read", { file_path: "slides/SKILL.md" })),
      result("c2", TEXT),
    ],
    names: ["slides"],
  },
  {
    why: "one was used again",
    messages: [
      assistant("r1", call("c1", "Skill", { skill: "pdf" })),
      result("c1", TEXT),
      assistant("r2", call("c2", "skill", { name: "slides" })),
      result("c2", TEXT),
      assistant("r3", call("c3", "Skill", { skill: "pdf now" })),
      result("c3", TEXT),
    ],
    names: ["slides", "pdf"],
  },
])("are found where $why: $names", ({ messages, names }) => {
  expect(skillsIn(messages).map(({ name }) => name)).toEqual(names);
});

it("are remembered over compactions, and a damaged memory of them is no skill", () => {
  const [found] = skillsIn([assistant("r1", call("c1", "Skill", { skill: "pdf" })), result("c1", TEXT)]);
  const known = [
    { name: "slides", seq: 3, block: 0 },
    { name: "pdf", seq: 1, block: 0 },
    { name: 7 },
    "x",
    null,
  ];
  expect(mergeSkills(known, [found!])).toEqual([{ name: "slides", seq: 3, block: 0 }, found]);
  expect(mergeSkills("slides", [])).toEqual([]);
  expect(mergeSkills(undefined, [])).toEqual([]);
});
