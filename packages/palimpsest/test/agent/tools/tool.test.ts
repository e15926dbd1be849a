/** Tools that type and check their input, and the types that they infer. */
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import { tool } from "#agent/tools/tool.ts";

const CONTEXT = { callId: "c1", signal: new AbortController().signal };
const named = { name: "bash", description: "Runs a command." };
const COMMAND_SCHEMA = {
  type: "object",
  properties: { command: { type: "string" }, timeout: { type: "integer" } },
  required: ["command"],
} as const;

describe("a tool with a schema of a library", () => {
  it("gets the type and the values of Zod's output, and describes the input", async () => {
    const input = z.object({ command: z.string().describe("Bash."), times: z.coerce.number().default(2) });
    const bash = tool({
      ...named,
      input,
      execute: async ({ command, times }) => {
        expectTypeOf(command).toEqualTypeOf<string>();
        expectTypeOf(times).toEqualTypeOf<number>();
        return `${command} ${times + 1}`;
      },
    });
    expectTypeOf(bash).toEqualTypeOf<AgentTool>();
    expect(bash.inputSchema).toMatchObject({
      type: "object",
      properties: { command: { type: "string", description: "Bash." }, times: { default: 2 } },
      required: ["command"],
    });
    expect(bash.inputSchema).not.toHaveProperty("$schema");
    expect(await bash.run({ command: "ls" }, CONTEXT)).toEqual({ content: "ls 3" });
    expect(await bash.run({ command: "ls", times: "7" }, CONTEXT)).toEqual({ content: "ls 8" });
  });

  it("takes ArkType's as they are, and Valibot's with JSON Schema beside", async () => {
    const ark = tool({
      ...named,
      input: type({ command: "string", "timeout?": "number.integer" }),
      execute: ({ command, timeout }) => {
        expectTypeOf(command).toEqualTypeOf<string>();
        expectTypeOf(timeout).toEqualTypeOf<number | undefined>();
        return command;
      },
    });
    expect(ark.inputSchema).toEqual({ ...COMMAND_SCHEMA });
    expect(await ark.run({ command: "ls" }, CONTEXT)).toEqual({ content: "ls" });
    const valibot = tool({
      ...named,
      input: v.pipeAsync(
        v.objectAsync({ command: v.string() }),
        v.checkAsync(async () => true),
      ),
      jsonSchema: COMMAND_SCHEMA,
      execute: ({ command }) => {
        expectTypeOf(command).toEqualTypeOf<string>();
        return command;
      },
    });
    expect(valibot.inputSchema).toEqual({ ...COMMAND_SCHEMA });
    expect(await valibot.run({ command: "ls" }, CONTEXT)).toEqual({ content: "ls" });
  });

  it.each([
    {
      input: z.object({ command: z.string(), options: z.object({ retries: z.number() }) }),
      given: { options: { retries: "3" } },
      problems: ["- command: Invalid input: expected string, received undefined", "- options.retries: "],
    },
    { input: type({ command: "string" }), given: {}, problems: ["- command: command must be a string"] },
    { input: z.object({ command: z.string() }), given: "ls", problems: ["- Invalid input: expected object"] },
  ])("tells the model what to send in place of $given", async ({ input, given, problems }) => {
    const bash = tool({ ...named, input, execute: () => expect.unreachable("it was run") });
    const { content, isError } = (await bash.run(given, CONTEXT)) as { content: string; isError: boolean };
    expect(isError).toBe(true);
    expect(content).toContain("bash was not run, because its input does not fit:\n- ");
    for (const problem of problems) expect(content).toContain(problem);
    expect(content).toContain('Call it again with an input that fits its JSON Schema: {"type":"object"');
    expect(await bash.checkInput?.(given)).toBe(content);
  });
});

describe("a tool with JSON Schema", () => {
  it("types the input by a literal, and checks it", async () => {
    const bash = tool({
      ...named,
      input: {
        type: "object",
        properties: {
          command: { type: "string" },
          mode: { enum: ["read", "write"] },
          files: {
            type: "array",
            items: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
          },
          limit: { type: ["integer", "null"] },
          any: { anyOf: [{ type: "string" }, { type: "boolean" }] },
          kind: { const: "x" },
          free: {},
        },
        required: ["command", "mode"],
        additionalProperties: false,
      },
      execute: (input, { callId, signal, session }) => {
        expectTypeOf(input.command).toEqualTypeOf<string>();
        expectTypeOf(input.mode).toEqualTypeOf<"read" | "write">();
        expectTypeOf(input.files).toEqualTypeOf<{ path: string }[] | undefined>();
        expectTypeOf(input.limit).toEqualTypeOf<number | null | undefined>();
        expectTypeOf(input.any).toEqualTypeOf<string | boolean | undefined>();
        expectTypeOf(input.kind).toEqualTypeOf<"x" | undefined>();
        expectTypeOf(callId).toEqualTypeOf<string>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        // @ts-expect-error The schema has no such member.
        void input.comand;
        // @ts-expect-error It may be absent.
        void (() => input.files.length);
        // @ts-expect-error The session may be absent.
        void (() => session.visible);
        return { ran: input.command };
      },
    });
    expect(await bash.run({ command: "ls", mode: "read" }, CONTEXT)).toEqual({ content: '{"ran":"ls"}' });
    expect(
      await bash.run({ comand: "ls", mode: "see", files: [{}], limit: 1.5, any: 3, kind: "y" }, CONTEXT),
    ).toEqual({
      isError: true,
      content: [
        "bash was not run, because its input does not fit:",
        '- command is missing; it must be of type "string".',
        "- comand is not known. Did you mean command?",
        '- mode is "see"; it must be one of "read", "write".',
        '- files[0].path is missing; it must be of type "string".',
        '- limit is 1.5; it must be of one of the types "integer", "null".',
        '- any is 3; it must fit {"anyOf":[{"type":"string"},{"type":"boolean"}]}.',
        '- kind is "y"; it must be "x".',
        `Call it again with an input that fits its JSON Schema: ${JSON.stringify(bash.inputSchema)}.`,
      ].join("\n"),
    });
    expect(await bash.run("ls", CONTEXT)).toMatchObject({
      content: expect.stringContaining('- The input is "ls"; it must be of type "object".'),
    });
  });

  it("names ten problems at the most, and repeats no long schema", async () => {
    const description = "x".repeat(2_000);
    const input = { type: "object", description, additionalProperties: { type: "string" } } as const;
    const bash = tool({ ...named, input, execute: () => "" });
    const given = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`m${index}`, index]));
    const { content } = (await bash.run(given, CONTEXT)) as { content: string };
    expect(content.split("\n")).toHaveLength(12);
    expect(content).not.toContain("xxx");
  });

  it("takes a schema whose type is not known, and no schema", async () => {
    const input: { type: string; properties: Record<string, object> } = { type: "object", properties: {} };
    const bash = tool({ ...named, input, execute: (given) => JSON.stringify(given["command"]) });
    expect(await bash.run({ command: "ls" }, CONTEXT)).toEqual({ content: '"ls"' });
    const now = tool({ ...named, execute: () => 12 });
    expect(now.inputSchema).toEqual({ type: "object", properties: {} });
    expect(await now.run({}, CONTEXT)).toEqual({ content: "12" });
  });
});

describe("what a tool returns", () => {
  it.each([
    { returned: "a text", content: "a text" },
    { returned: [{ type: "text", text: "a" }], content: [{ type: "text", text: "a" }] },
    { returned: { content: "a text" }, content: "a text" },
    { returned: { content: "file", path: "a.ts" }, content: '{"content":"file","path":"a.ts"}' },
    { returned: { content: { a: 1 } }, content: '{"a":1}' },
    { returned: ["a", "b"], content: '["a","b"]' },
    { returned: [{ type: "file", path: "a.ts" }], content: '[{"type":"file","path":"a.ts"}]' },
    { returned: [], content: "[]" },
    { returned: undefined, content: "The tool answered nothing." },
    { returned: null, content: "null" },
  ])("reaches the model as a text or parts: $content", async ({ returned, content }) => {
    expect(await tool({ ...named, execute: () => returned }).run({}, CONTEXT)).toMatchObject({ content });
  });

  it("may be a failure in its own words", async () => {
    const bash = tool({ ...named, execute: () => ({ content: "exit code 1", isError: true }) });
    expect(await bash.run({}, CONTEXT)).toEqual({ content: "exit code 1", isError: true });
  });
});

describe("a tool that cannot be made", () => {
  const execute = (): string => "";
  it.each([
    {
      options: { ...named, inputSchema: {}, execute },
      message: "`tool` has no option `inputSchema`.",
      hint: "`input`",
    },
    {
      options: { ...named, input: {}, run: execute },
      message: "`tool` has no option `run`.",
      hint: "`execute`",
    },
    {
      options: { ...named, execute, paralel: false },
      message: "`tool` has no option `paralel`.",
      hint: "`parallel`",
    },
    {
      options: { ...named, input: COMMAND_SCHEMA },
      message: 'The tool "bash" has no `execute`.',
      hint: "`prepare`",
    },
    { options: { description: "", execute }, message: "The tool has no `name`.", hint: "tool({ name" },
    {
      options: { ...named, name: "run it", execute },
      message: 'The tool "run it" has a name that providers refuse.',
      hint: "letters",
    },
    {
      options: { type: "function", function: { name: "bash", parameters: {} } },
      message: "The tool has the shape of OpenAI's Chat Completions API.",
      hint: "input: t.function.parameters",
    },
    {
      options: { ...named, input: z.string(), execute },
      message: 'The tool "bash" has a schema whose `type` is not "object"; providers take no other input.',
      hint: "{ value: … }",
    },
    {
      options: { ...named, input: v.object({ command: v.string() }), execute },
      message: 'The tool "bash" has a schema of valibot, which has no JSON Schema for the model.',
      hint: "jsonSchema: toJsonSchema(schema), of @valibot/to-json-schema",
    },
    {
      options: { ...named, input: z.object({ at: z.date() }), execute },
      message:
        'The tool "bash" has a schema without JSON Schema for the model: Date cannot be represented in JSON Schema',
      hint: "jsonSchema: z.toJSONSchema(schema)",
    },
    {
      options: { ...named, input: "command", execute },
      message: 'The tool "bash" has an `input` that is not a schema.',
      hint: "Zod",
    },
  ])("says how to make it: $message", ({ options, message, hint }) => {
    expect(() => tool(options as never)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message, hint: expect.stringContaining(hint) }),
    );
  });

  it("does not compile", () => {
    const input = z.object({ command: z.string() });
    const make = (): void => {
      // @ts-expect-error It has no `execute`.
      tool({ ...named, input });
      // @ts-expect-error The option is `input`.
      tool({ ...named, inputSchema: input, execute });
      // @ts-expect-error A schema is an object.
      tool({ ...named, input: "command", execute });
      // @ts-expect-error The input has another type.
      tool({ ...named, input, execute: (given: { path: string }) => given.path });
    };
    expect(make).toThrow("no `execute`");
  });

  it("is typed by an annotation where it has `run`", () => {
    const bash: AgentTool = {
      ...named,
      inputSchema: COMMAND_SCHEMA,
      run: async (input: { command: string }) => `ran ${input.command}`,
    };
    expect(bash.name).toBe("bash");
  });
});
