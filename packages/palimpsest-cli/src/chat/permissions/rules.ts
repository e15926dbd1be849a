/**
 * Rules for tools: `read`, `shell(npm test *)`, `edit(src/**)`, `mcp(github.*)`. A rule is the name of a tool, and in
 * brackets what it covers: paths for tools of files, command lines for the shell, names for the others.
 */
import { OptionError } from "palimpsest";
import { pathPattern, wordsPattern } from "./patterns.ts";
import { commandParts, hasAssignment } from "./shell-words.ts";

/** The parts of a call that rules are compared with. */
export interface RuledCall {
  readonly tool: string;
  /** Paths relative to the workspace, the real ones; of tools of files. */
  readonly paths?: readonly string[];
  /** The command line; of the shell. */
  readonly command?: string;
  /** The name of what is called: a tool of a server, a skill, an agent. */
  readonly name?: string;
}

/** A rule as it was written, and what it covers. */
export interface Rule {
  readonly text: string;
  readonly tools: readonly string[];
  readonly subject: string | undefined;
}

/** Names that cover several tools. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  edit: ["edit", "write"],
  read: ["read", "glob", "grep"],
  "*": [],
};

/** The tools that rules are about. Others ask for no permission. */
const RULED_TOOLS: ReadonlySet<string> = new Set([
  ...["read", "glob", "grep", "edit", "write", "shell", "mcp", "skill", "memory", "task", "exit_plan_mode"],
  "*",
]);
/** Names that other agents have for them. */
const OTHER_NAMES: Readonly<Record<string, string>> = { bash: "shell", sh: "shell", agent: "task" };

const RULE = /^\s*([\w-]+|\*)\s*(?:\((.*)\))?\s*$/s;

/** Parses a rule. @throws `OptionError` */
export function parseRule(text: string): Rule {
  const [, tool, subject] = RULE.exec(text) ?? [];
  if (tool !== undefined && RULED_TOOLS.has(tool))
    return { text, tools: GROUPS[tool] ?? [tool], subject: subject?.trim() || undefined };
  if (tool !== undefined) {
    const lower = tool.toLowerCase();
    const meant = RULED_TOOLS.has(lower) ? lower : OTHER_NAMES[lower];
    throw new OptionError({
      message: `The rule ${JSON.stringify(text)} names no tool that rules are about.`,
      hint: `${meant === undefined ? "" : `Did you mean ${meant}? `}There are ${[...RULED_TOOLS].slice(0, -1).join(", ")}, and * for all of them.`,
    });
  }
  throw new OptionError({
    message: `${JSON.stringify(text)} is not a rule for tools.`,
    hint: "Write a tool, and in brackets what it may do: read, edit(src/**), shell(npm test *), mcp(server.tool).",
  });
}

/** True if the rule forbids or asks about the call: one part of it that the rule covers is enough. */
export function touches(rule: Rule, call: RuledCall): boolean {
  if (!isAbout(rule, call)) return false;
  const { subject } = rule;
  if (subject === undefined) return true;
  if (call.command !== undefined) {
    const covers = wordsPattern(subject);
    // Also with another beginning: `PATH=. rm`, `sudo rm`, `sh -c 'rm …'` are left to rules that ask.
    return [call.command.trim(), ...commandParts(call.command).commands.map(withoutAssignments)].some((one) =>
      covers.test(one),
    );
  }
  if (call.paths !== undefined) return call.paths.some((path) => pathPattern(subject).test(path));
  return wordsPattern(subject).test(call.name ?? "");
}

/** True if the rule allows the call: it covers everything that the call does. */
export function covers(rule: Rule, call: RuledCall): boolean {
  if (!isAbout(rule, call)) return false;
  const { subject } = rule;
  if (subject === undefined) return true;
  if (call.command !== undefined) return false;
  if (call.paths !== undefined)
    return call.paths.length > 0 && call.paths.every((path) => pathPattern(subject).test(path));
  return wordsPattern(subject).test(call.name ?? "");
}

/** True if each command of a line is covered by one of the rules. A line that is not plain is covered only to the letter. */
export function coversCommand(rules: readonly Rule[], command: string): boolean {
  const own = rules.filter((rule) => isAbout(rule, { tool: "shell" }));
  const { commands, isPlain } = commandParts(command);
  if (own.some(({ subject }) => subject === undefined || subject === command.trim())) return true;
  if (!isPlain || commands.length === 0) return false;
  return commands.every(
    (one) => !hasAssignment(one) && own.some(({ subject = "*" }) => wordsPattern(subject).test(one)),
  );
}

function isAbout({ tools }: Rule, { tool }: Pick<RuledCall, "tool">): boolean {
  return tools.length === 0 || tools.includes(tool);
}

function withoutAssignments(command: string): string {
  return command
    .split(" ")
    .filter((_, index, words) => !words.slice(0, index + 1).every(hasAssignment))
    .join(" ");
}

/** The rule that "always" adds for a call; `undefined` where one would cover more than a person means. */
export function ruleFor({ tool, command, paths, name }: RuledCall): string | undefined {
  if (command !== undefined) {
    const { commands, isPlain } = commandParts(command);
    const [only] = commands;
    return isPlain && commands.length === 1 && only !== undefined && !hasAssignment(only)
      ? `shell(${only})`
      : undefined;
  }
  if (paths !== undefined)
    return Object.entries(GROUPS).find(([, tools]) => tools.includes(tool))?.[0] ?? tool;
  return name === undefined ? tool : `${tool}(${name})`;
}
