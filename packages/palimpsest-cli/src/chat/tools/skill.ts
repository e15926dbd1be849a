/**
 * `skill`: instructions for a kind of work, in folders with a `SKILL.md`. Those of the user are theirs; those of a workspace
 * came with its repository, so loading one needs permission, unless the user trusts the folder.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type AgentTool, tool } from "palimpsest";
import { cleanMemoryText } from "palimpsest/memory";
import { readTextIfThere } from "../base/regular-file.ts";
import { failed, orFailed, type ToolWorld } from "./tool-world.ts";

/** A skill that was found. */
interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** Its folder. */
  readonly folder: string;
  /** True if the user put it there, or trusts who did. */
  readonly isTrusted: boolean;
}

interface SkillPlace {
  readonly folder: string;
  readonly isTrusted: boolean;
}

/** Largest `SKILL.md`, in bytes. Our choice: about 25,000 tokens. */
const SKILL_BYTES = 100_000;
const SKILLS_COUNT = 200;
const DESCRIPTION_CHARACTERS = 250;
const YAML_HEAD = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;

/** Finds skills: `<folder>/<name>/SKILL.md`. Of two with one name, the first counts. */
export async function findSkillFiles(places: readonly SkillPlace[]): Promise<readonly FoundSkill[]> {
  const found = new Map<string, FoundSkill>();
  for (const { folder, isTrusted } of places)
    for (const name of (await readdir(folder).catch(() => [])).sort()) {
      if (found.size >= SKILLS_COUNT || found.has(name) || !/^[\w.-]{1,64}$/.test(name)) continue;
      const text = await readTextIfThere(join(folder, name, "SKILL.md"), SKILL_BYTES).catch(() => undefined);
      if (text !== undefined)
        found.set(name, { name, folder: join(folder, name), description: describe(text), isTrusted });
    }
  return [...found.values()];
}

/** Its description on one line, without what could pass for a part of the prompt. */
function describe(text: string): string {
  const front = YAML_HEAD.exec(text)?.[1] ?? "";
  const written = /^description:\s*(.+)$/m.exec(front)?.[1]?.replace(/^["']|["']$/g, "") ?? "";
  return cleanMemoryText(written.slice(0, DESCRIPTION_CHARACTERS), "description").text;
}

/** The tool `skill`; there is none without skills. */
export function skillTool(world: ToolWorld, skills: readonly FoundSkill[]): AgentTool {
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`);
  return tool({
    name: "skill",
    description: `Loads the instructions of a skill, for work that it fits. Its files are in its folder. Skills:\n${list.join("\n")}`,
    input: {
      type: "object",
      properties: { name: { type: "string", description: "The name of the skill." } },
      required: ["name"],
      additionalProperties: false,
    } as const,
    approve: (input, context) => {
      const isTrusted = skills.find(({ name }) => name === input.name)?.isTrusted !== false;
      return world.decide(
        {
          tool: "skill",
          risk: isTrusted ? "free" : "run",
          name: input.name,
          what: `follow the skill ${input.name} of this folder`,
        },
        input,
        context,
      );
    },
    execute: ({ name }) =>
      orFailed(async () => {
        const skill = skills.find((one) => one.name === name);
        if (skill === undefined) return failed(`There is no skill ${name}.`);
        const text = await readTextIfThere(join(skill.folder, "SKILL.md"), SKILL_BYTES);
        if (text === undefined) return failed(`The skill ${name} was removed.`);
        return `Base directory for this skill: ${skill.folder}\n\n${text.replace(YAML_HEAD, "")}`;
      }),
  });
}
