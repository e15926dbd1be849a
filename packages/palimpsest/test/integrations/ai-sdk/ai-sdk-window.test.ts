/** The window of a session for the AI SDK's loops, driven as `generateText` of each major drives it. */
import { describe, expect, it } from "vitest";
import { type AiSdkWindow, aiSdkWindow } from "#integrations/ai-sdk/ai-sdk-window.ts";
import type { ModelAnswer } from "#ports/model-client.ts";
import { setTheStage } from "../../agent/stage.ts";

type Sent = { readonly role: string; readonly content: unknown };

const MODEL = { modelId: "claude-opus-4-6", provider: "anthropic.messages", specificationVersion: "v3" };
const assistant = (...content: object[]): Sent => ({ role: "assistant", content });
const text = (words: string): object => ({ type: "text", text: words });
const call = { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } };
const result: Sent = {
  role: "tool",
  content: [
    { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "x" } },
  ],
};
const USAGE = {
  inputTokens: 900,
  outputTokens: 7,
  inputTokenDetails: { cacheReadTokens: 600, cacheWriteTokens: 50 },
};

/** Runs steps as majors do: up to 6 each lists the messages of all steps; 7 its own, and goes on from the window. */
async function generate(
  window: AiSdkWindow<object>,
  initial: readonly Sent[],
  answers: readonly (readonly Sent[])[],
  { major = 6, tells = true } = {},
): Promise<readonly (readonly Sent[])[]> {
  const steps: { response: { messages: Sent[] }; usage: object; finishReason: string }[] = [];
  const sent: Sent[][] = [];
  let messages = [...initial];
  for (const [stepNumber, answer] of answers.entries()) {
    const step = await window.prepareStep({ messages, stepNumber, steps, model: MODEL });
    sent.push(step.messages);
    const all = answers.slice(major === 7 ? stepNumber : 0, stepNumber + 1).flat();
    const done = { response: { messages: all }, usage: USAGE, finishReason: "stop" };
    steps.push(done);
    if (tells || stepNumber === answers.length - 1) await window.onStepFinish(done);
    messages = major === 7 ? [...step.messages, ...answer] : [...messages, ...answer];
  }
  return sent;
}

const jsonOf = (messages: readonly { readonly content: unknown }[]): string => JSON.stringify(messages);

describe("aiSdkWindow", () => {
  it.each([
    { major: 6, tells: true },
    { major: 6, tells: false },
    { major: 7, tells: true },
    { major: 7, tells: false },
  ])("records each step once and appends results: major $major, told of each step: $tells", async (sdk) => {
    const { session } = await setTheStage();
    const window = aiSdkWindow(session, { system: "Be brief." });
    const question = { role: "user", content: "Read a.ts" };
    const steps = [[assistant(text("I look."), call), result], [assistant(text("Done."))]];
    const sent = await generate(window, [question], steps, sdk);
    expect(jsonOf(sent[1]!)).toContain("c1");
    expect(sent[1]!.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    await generate(window, [question], [[assistant(text("Done."))]], sdk);
    expect(session.visible.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "user", "assistant"],
      ...["user", "assistant"],
    ]);
    expect(session.tokens.total).toBeGreaterThan(900);
  });

  it("reports the usage of every major: nothing counts twice", async () => {
    const reported: ModelAnswer["usage"][] = [];
    const { session } = await setTheStage({
      observer: { onEvent: (event) => void (event.type === "answer" && reported.push(event.usage)) },
    });
    const usages = [
      { usage: USAGE },
      { usage: { inputTokens: 900, outputTokens: 7, cachedInputTokens: 600 } },
      {
        usage: { inputTokens: 250, outputTokens: 7, cachedInputTokens: 600 },
        providerMetadata: {
          anthropic: {
            usage: {
              input_tokens: 250,
              cache_read_input_tokens: 600,
              cache_creation_input_tokens: 50,
              output_tokens: 7,
            },
          },
        },
      },
      { usage: { inputTokens: undefined, outputTokens: undefined } },
    ];
    const window = aiSdkWindow(session);
    for (const [index, usage] of usages.entries()) {
      const messages = [{ role: "user", content: `Question ${index}` }];
      await window.prepareStep({ messages, stepNumber: 0, steps: [], model: MODEL });
      await window.onStepFinish({
        response: { messages: [assistant(text("Done."))] },
        finishReason: "stop",
        ...usage,
      });
    }
    expect(reported).toEqual([
      { inputTokens: 250, cacheReadTokens: 600, cacheWriteTokens: 50, outputTokens: 7 },
      { inputTokens: 300, cacheReadTokens: 600, cacheWriteTokens: 0, outputTokens: 7 },
      { inputTokens: 250, cacheReadTokens: 600, cacheWriteTokens: 50, outputTokens: 7 },
      undefined,
    ]);
  });

  it("hides what a full list leaves out, and refuses one where only what is new is expected", async () => {
    const { session } = await setTheStage();
    const full = aiSdkWindow(session, { list: "full" });
    const list = [
      { role: "user", content: "One?" },
      assistant(text("One.")),
      { role: "user", content: "Two?" },
    ];
    await generate(full, list.slice(0, 1), [[list[1]!]]);
    await generate(full, list, [[assistant(text("Two."))]]);
    expect(session.visible).toHaveLength(4);
    const [sent] = await generate(
      full,
      [...list.slice(0, 2), { role: "user", content: "Three?" }],
      [[assistant(text("Three."))]],
    );
    expect(jsonOf(sent!)).not.toContain("Two");
    await expect(generate(aiSdkWindow(session), list, [[]])).rejects.toMatchObject({
      code: "OPTION_INVALID",
      hint: expect.stringContaining('list: "full"'),
    });
  });

  it("places the marks of the cache itself, and keeps what else a host says of its messages", async () => {
    const { session } = await setTheStage();
    const window = aiSdkWindow(session);
    const marked = {
      role: "user",
      content: [
        {
          ...text("Hello"),
          providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } }, own: { a: 1 } },
        },
      ],
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    };
    await generate(window, [marked], [[assistant(text("Hi."))]]);
    const [sent] = await generate(window, [{ role: "user", content: "Again" }], [[assistant(text("Hi."))]]);
    expect(jsonOf(sent!).match(/cacheControl/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(jsonOf(sent!.slice(0, 1))).toContain('"own":{"a":1}');
  });

  it("keeps system messages of the host's list in front of every step, and has no system prompt unless it is given one", async () => {
    const { session } = await setTheStage();
    const window = aiSdkWindow(session);
    const initial = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read a.ts" },
    ];
    const sent = await generate(window, initial, [[assistant(call), result], [assistant(text("Done."))]]);
    expect(sent.map((messages) => messages.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
    ]);
    expect("system" in window).toBe(false);
    expect(session.tokens.fixed).toBeGreaterThan(0);
  });

  it("has the tools of the history, in a schema that every major takes", async () => {
    const { session } = await setTheStage();
    const { tools } = aiSdkWindow(session, { tools: { read: {} } });
    expect(Object.keys(tools)).toEqual(["history_search", "history_read", "read"]);
    const { inputSchema, execute } = tools.history_search!;
    expect(Reflect.get(inputSchema, Symbol.for("vercel.ai.schema"))).toBe(true);
    await session.append("The lantern is teal.");
    expect(await execute({ query: "lantern" })).toContain("m2.0 (user): The lantern");
    expect(Object.keys(aiSdkWindow(session, { historyTools: false }).tools)).toEqual([]);
  });
});
