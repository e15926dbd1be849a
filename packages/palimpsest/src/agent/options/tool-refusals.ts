/**
 * Refuses tools that a turn cannot run, each with the tool to pass in its place.
 *
 * Other libraries have other shapes of a tool. One of them would be sent without a name, or do nothing when it is
 * called. So each shape that people are likely to have is known here by what is particular to it.
 */
import { OptionError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import {
  anyString,
  checkOptions,
  duration,
  flag,
  func,
  type OptionRules,
  object,
  text,
} from "../../base/options/check-options.ts";
import type { AgentTool } from "./turn/turn-options.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A shape that tools have elsewhere. */
interface ForeignShape {
  readonly is: (tool: Fields) => boolean;
  /** After "The tool … ". */
  readonly problem: string;
  /** The arguments of `tool` that make it one of ours; `t` is the foreign one. */
  readonly fix: string;
}

const isFunction = (value: unknown): boolean => typeof value === "function";

const FOREIGN_SHAPES: readonly ForeignShape[] = [
  {
    is: (tool) => isObject(tool["function"]),
    problem: "has the shape of OpenAI's Chat Completions API",
    fix: "{ name: t.function.name, description: t.function.description, input: t.function.parameters, execute }",
  },
  {
    is: (tool) => tool["type"] === "function" && isObject(tool["parameters"]),
    problem: "has the shape of OpenAI's Responses API",
    fix: "{ name: t.name, description: t.description, input: t.parameters, execute }",
  },
  {
    is: (tool) => isObject(tool["input_schema"]),
    problem: "has the shape of Anthropic's API",
    fix: "{ name: t.name, description: t.description, input: t.input_schema, execute }",
  },
  {
    is: (tool) => isFunction(tool["invoke"]) && tool["schema"] !== undefined,
    problem: "has the shape of LangChain",
    fix: "{ name: t.name, description: t.description, input: t.schema, execute: (input) => t.invoke(input) }",
  },
  {
    is: (tool) =>
      tool["name"] === undefined && isFunction(tool["execute"]) && tool["inputSchema"] !== undefined,
    problem: "has the shape of the AI SDK, where the name is not part of a tool",
    fix: '{ name: "…", description: t.description, input: t.inputSchema, execute: t.execute }',
  },
];

const TOOL_RULES: OptionRules<AgentTool> = {
  name: text,
  description: anyString,
  inputSchema: object,
  run: func,
  checkInput: func,
  approve: func,
  parallel: flag,
  timeoutMs: duration,
};

/** @throws `OptionError` for a value that has the shape of another library's tool */
export function refuseForeignTool(tool: Fields, place: string): void {
  const foreign = FOREIGN_SHAPES.find(({ is }) => is(tool));
  if (foreign === undefined) return;
  throw new OptionError({
    message: `${place} ${foreign.problem}.`,
    hint: `Pass tool(${foreign.fix}). ${ELSEWHERE}`,
  });
}

const ELSEWHERE = "Tools that the provider runs itself go into `providerTools`, in its shape.";
const PASS = `Pass tool({ name, description, input, execute }). ${ELSEWHERE}`;

/** Checks the tools of a turn. @throws `OptionError` for the first that it cannot run */
export function checkTools(tools: unknown): void {
  if (isObject(tools))
    throw new OptionError({
      message: "The option `tools` of `turn` is an object; it is a list.",
      hint: `Names are part of the tools: [tool({ name: ${JSON.stringify(Object.keys(tools)[0] ?? "…")}, description, input, execute })].`,
    });
  if (!Array.isArray(tools)) return;
  const names = new Set<string>();
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    checkTool(tool, index);
    const { name } = tool as AgentTool;
    if (names.has(name))
      throw new OptionError({
        message: `Two tools of \`turn\` have the name ${JSON.stringify(name)}.`,
        hint: "Rename one of them, or leave it out.",
      });
    names.add(name);
  }
}

function checkTool(value: unknown, index: number): void {
  const tool: Fields = isObject(value) ? value : {};
  const { name, run, inputSchema, execute } = tool;
  const place = `The tool ${typeof name === "string" && name !== "" ? JSON.stringify(name) : `at index ${index}`}`;
  refuseForeignTool(tool, place);
  const problem =
    typeof name !== "string" || name === ""
      ? "has no `name`"
      : isFunction(execute) && !isFunction(run)
        ? "was not made by `tool`"
        : !isFunction(run)
          ? "has no function `run`"
          : !isObject(inputSchema)
            ? "has no `inputSchema`"
            : "~standard" in inputSchema && !("type" in inputSchema)
              ? "has an `inputSchema` that is not JSON Schema"
              : undefined;
  if (problem !== undefined) throw new OptionError({ message: `${place} ${problem}.`, hint: PASS });
  // An instance of a class may have further members.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) checkOptions(String(name), value, TOOL_RULES);
}
