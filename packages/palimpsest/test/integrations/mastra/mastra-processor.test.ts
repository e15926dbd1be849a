/** The processor for Mastra's agents, driven as their loop drives it. */
import { describe, expect, it } from "vitest";
import { type MastraProcessor, mastraProcessor } from "#integrations/mastra/mastra-processor.ts";
import { setTheStage } from "../../agent/stage.ts";

type Message = { readonly role: string; readonly content: unknown };

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const callOf = (toolCallId: string) => ({ type: "tool-call", toolCallId, toolName: "read", input: {} });
/** A call and its result. */
const exchange = (toolCallId: string): readonly Message[] => [
  { role: "assistant", content: [callOf(toolCallId)] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: "x" } }],
  },
];
const answers = (toolCallId = "c1") => new Model([callOf(toolCallId), { type: "text", text: "Done." }]);
const done: Message = { role: "assistant", content: [{ type: "text", text: "Done." }] };

/** A model with private state, as Mastra's wrappers have. */
class Model {
  readonly specificationVersion = "v3";
  readonly provider = "fake";
  readonly modelId = "claude-opus-4-6";
  readonly prompts: (readonly Message[])[] = [];
  readonly #answers: readonly object[];

  constructor(answers: readonly object[]) {
    this.#answers = answers;
  }

  get answersCount(): number {
    return this.#answers.length;
  }

  async doGenerate({ prompt }: { readonly prompt: readonly Message[] }): Promise<object> {
    this.prompts.push(prompt);
    const answer = this.#answers[this.prompts.length - 1]!;
    return { content: [answer], finishReason: { unified: "stop", raw: "stop" }, usage: {} };
  }

  async doStream(): Promise<object> {
    throw new Error("not used");
  }
}

/** One request of two steps. */
async function run(
  processor: MastraProcessor,
  model: Model,
  { before = [], id = "c1" }: { readonly before?: readonly Message[]; readonly id?: string } = {},
): Promise<void> {
  const state = {};
  const steps = [[user("Read a.ts")], exchange(id)];
  let prompt = [...before];
  for (const [stepNumber, added] of steps.entries()) {
    prompt = [...prompt, ...added];
    const step = await processor.processInputStep({
      model,
      stepNumber,
      state,
      messages: [{ threadId: "t1" }],
    });
    expect(Object.keys(step.tools)).toEqual(["history_search", "history_read"]);
    expect(step.model.answersCount).toBe(2);
    await step.model.doGenerate({ prompt: [{ role: "system", content: "Be brief." }, ...prompt] });
  }
}

describe("mastraProcessor", () => {
  it("appends what a request adds, where the session keeps the conversation", async () => {
    const { session } = await setTheStage();
    const processor = mastraProcessor(session);
    await run(processor, answers());
    const model = answers("c2");
    await run(processor, model, { id: "c2" });
    expect(model.prompts[0]?.map(({ role }) => role)).toEqual([
      ...["system", "user", "assistant", "tool", "assistant", "user"],
    ]);
    expect(session.visible).toHaveLength(8);
  });

  it("compares a full list with the session", async () => {
    const { session } = await setTheStage();
    const processor = mastraProcessor(session, { list: "full" });
    await run(processor, answers());
    await run(processor, answers("c2"), { before: [user("Read a.ts"), ...exchange("c1"), done], id: "c2" });
    expect(session.visible).toHaveLength(8);
    await run(processor, answers());
    expect(session.visible).toHaveLength(4);
  });

  it("finds the session of a step, and refuses a model that is none of the AI SDK", async () => {
    const { palimpsest } = await setTheStage();
    const processor = mastraProcessor(({ messages }) => palimpsest.session(messages.at(-1)?.threadId));
    await run(processor, answers());
    expect((await palimpsest.session("t1")).visible).toHaveLength(4);
    const step = { model: "anthropic/claude-opus-4-6", stepNumber: 0, state: {}, messages: [] };
    await expect(processor.processInputStep(step)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
