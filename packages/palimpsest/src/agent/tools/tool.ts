/**
 * Makes tools whose input is typed and checked.
 *
 * A tool checks its input before its work begins. What does not fit becomes a failed result that tells the model what
 * to send, because a model that reads it sends the right thing next.
 */
import { OptionError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json/json.ts";
import {
  anyString,
  anything,
  checkOptions,
  duration,
  flag,
  func,
  type OptionRules,
  text,
} from "../../base/options/check-options.ts";
import { refuseForeignTool } from "../options/tool-refusals.ts";
import type { AgentTool, ToolApproval, ToolContext } from "../options/turn/turn-options.ts";
import { toToolOutput } from "./tool-results.ts";
import { type CheckedInput, type InputOf, readSchema, type ToolSchema } from "./tool-schema.ts";

/** Longest JSON Schema that a failed result repeats, in UTF-16 units. Our choice: the model has it in its tools, too. */
const REPEATED_SCHEMA_CHARS = 2_000;

/** Options of {@link tool}. */
interface ToolOptions<Schema extends ToolSchema> {
  /** The name by which the model calls it: letters, digits, `_` and `-`. */
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** Schema of the input. @defaultValue an object without members */
  readonly input?: Schema;
  /** JSON Schema of the input for the model, if the library of `input` writes none. */
  readonly jsonSchema?: object;
  /**
   * Does the work. It returns a text, parts, either as `{ content, isError }`, or any other value, which the model gets
   * as JSON. The model sees an error that it throws as a failed result.
   */
  readonly execute: (input: InputOf<Schema>, context: ToolContext) => unknown;
  /** Decides about a call, by its checked input. An error denies it. @defaultValue `allow` */
  readonly approve?: (input: InputOf<Schema>, context: ToolContext) => ToolApproval | Promise<ToolApproval>;
  /** False if no other call of the same answer may run at the same time. @defaultValue true */
  readonly parallel?: boolean;
  /** Time limit of one call, in milliseconds; `Infinity` for none. @defaultValue 600,000 */
  readonly timeoutMs?: number;
}

const RULES: OptionRules<ToolOptions<ToolSchema>> = {
  name: text,
  description: anyString,
  input: anything,
  jsonSchema: anything,
  execute: func,
  approve: func,
  parallel: flag,
  timeoutMs: duration,
};

/** Names that other libraries have for options of `tool`. */
const OTHER_NAMES: ReadonlyMap<string, keyof ToolOptions<ToolSchema>> = new Map([
  ["inputSchema", "input"],
  ["parameters", "input"],
  ["schema", "input"],
  ["run", "execute"],
  ["handler", "execute"],
  ["func", "execute"],
  ["needsApproval", "approve"],
  ["timeout", "timeoutMs"],
]);

/**
 * A tool for `turn` whose input is typed and checked by its schema: one of Zod, Valibot, ArkType or another library
 * with Standard Schema, or JSON Schema.
 *
 * @example
 * ```ts
 * const weather = tool({
 *   name: "weather",
 *   description: "Current weather of a city.",
 *   input: z.object({ city: z.string() }),
 *   execute: async ({ city }) => `12 °C in ${city}`,
 * });
 * ```
 * @throws `OptionError` for a misspelt option, a tool of another library, and a schema without JSON Schema
 */
export function tool<const Schema extends ToolSchema = { readonly type: "object" }>(
  options: ToolOptions<Schema>,
): AgentTool {
  checkToolOptions(options);
  const { name, description, execute, approve, parallel, timeoutMs } = options;
  const { input: schema = NO_INPUT, jsonSchema: written } = options;
  const { jsonSchema, check } = readSchema({ input: schema, jsonSchema: written }, `The tool "${name}"`);
  const problemWith = (checked: CheckedInput): string | undefined =>
    checked.ok ? undefined : sayProblems(name, checked.problems, JSON.stringify(jsonSchema));
  return {
    name,
    description,
    inputSchema: jsonSchema,
    checkInput: async (input) => problemWith(await check(input)),
    run: async (input, context) => {
      const checked = await check(input);
      if (!checked.ok) return { content: problemWith(checked)!, isError: true };
      return toToolOutput(await execute(checked.value as InputOf<Schema>, context));
    },
    ...(approve === undefined
      ? {}
      : {
          approve: async ({ input }, context) => {
            const checked = await check(input as JsonValue);
            return checked.ok ? approve(checked.value as InputOf<Schema>, context) : "deny";
          },
        }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

const NO_INPUT = { type: "object", properties: {} } as const;

function checkToolOptions(options: unknown): void {
  const given = (typeof options === "object" && options !== null ? options : {}) as Record<string, unknown>;
  const { name } = given;
  const place = typeof name === "string" && name !== "" ? `The tool ${JSON.stringify(name)}` : "The tool";
  refuseForeignTool(given, place);
  for (const [other, ours] of OTHER_NAMES)
    if (given[other] !== undefined && given[ours] === undefined)
      throw new OptionError({
        message: `\`tool\` has no option \`${other}\`.`,
        hint: `Here it is \`${ours}\`: tool({ name, description, input, execute }).`,
      });
  checkOptions("tool", options, RULES);
  const missing = (["name", "description", "execute"] as const).find((one) => given[one] === undefined);
  if (missing !== undefined)
    throw new OptionError({
      message: `${place} has no \`${missing}\`.`,
      hint:
        missing === "execute"
          ? "Pass the function that does the work. If your program runs tools itself, use `prepare` and `record` in place of `turn`."
          : "Pass tool({ name, description, input, execute }).",
    });
  if (!/^[\w-]{1,128}$/.test(String(name)))
    throw new OptionError({
      message: `${place} has a name that providers refuse.`,
      hint: "Use up to 128 letters, digits, `_` and `-`.",
    });
}

function sayProblems(name: string, problems: readonly string[], schema: string): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  const whole = schema.length > REPEATED_SCHEMA_CHARS ? "" : `: ${schema}`;
  return `${name} was not run, because its input does not fit:\n${list}\nCall it again with an input that fits its JSON Schema${whole}.`;
}
