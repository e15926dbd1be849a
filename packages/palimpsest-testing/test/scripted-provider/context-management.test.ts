/** Edits of the context on the provider's side, as the vendors' own SDKs meet them: their rules, and what is counted. */
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { callTool, say, think } from "#scripted-provider/scripted-provider.ts";
import { countCharacters, rejectionOf, withProvider } from "#test/fakes/kit.ts";

const MODEL = "claude-opus-5-5";
const CLEAR = "context-management-2025-06-27";
const COMPACT = "compact-2026-01-12";
const SUMMARIZE = "compact-2026-09-04";
type Beta = Anthropic.Beta.Messages.BetaMessageParam;
type Edits = NonNullable<Anthropic.Beta.Messages.BetaContextManagementConfig["edits"]>;

/** A conversation of `count` calls of a tool, with results of 1,000 characters. */
function conversation(count: number, tool = "read"): Beta[] {
  return [
    { role: "user", content: "Read them." },
    ...Array.from({ length: count }, (_, index): Beta[] => [
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_${index}`, name: tool, input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: `${index}`.repeat(1_000) }],
      },
    ]).flat(),
  ];
}

const tools: Anthropic.Beta.Messages.BetaTool[] = [{ name: "read", input_schema: { type: "object" } }];
const ask = { model: MODEL, max_tokens: 1_000, tools };
const clear: Edits[number] = {
  type: "clear_tool_uses_20250919",
  trigger: { type: "tool_uses", value: 2 },
  keep: { type: "tool_uses", value: 1 },
};

describe("clearing results at Anthropic", () => {
  it("keeps the newest, counts what is left, and remembers nothing", async () => {
    await withProvider({ countTokens: countCharacters }, async ({ anthropic, provider }) => {
      const messages = conversation(3);
      const plain = await anthropic.beta.messages.create({ ...ask, messages });
      const edited = await anthropic.beta.messages.create({
        ...ask,
        messages,
        betas: [CLEAR],
        context_management: { edits: [clear] },
      });
      // Two results of 1,000 characters became a placeholder of 55.
      expect(edited.context_management).toEqual({
        applied_edits: [
          { type: "clear_tool_uses_20250919", cleared_tool_uses: 2, cleared_input_tokens: 1_890 },
        ],
      });
      expect(plain.usage.input_tokens - edited.usage.input_tokens).toBe(1_890);
      const counted = await anthropic.beta.messages.countTokens({
        model: MODEL,
        tools,
        messages,
        betas: [CLEAR],
        context_management: { edits: [clear] },
      });
      expect(counted.input_tokens).toBe(edited.usage.input_tokens);
      expect(counted.context_management?.original_input_tokens).toBe(plain.usage.input_tokens);
      const again = await anthropic.beta.messages.create({ ...ask, messages });
      expect(again.usage.input_tokens).toBe(plain.usage.input_tokens);
      expect(provider.violations).toEqual([]);
    });
  });

  it.each<{ edit: Partial<typeof clear>; cleared: number; why: string }>([
    { edit: { trigger: { type: "tool_uses", value: 3 } }, cleared: 0, why: "the trigger is not passed" },
    { edit: { trigger: { type: "input_tokens", value: 1_000 } }, cleared: 2, why: "the prompt is larger" },
    {
      edit: { clear_at_least: { type: "input_tokens", value: 1_891 } },
      cleared: 0,
      why: "too little would go",
    },
    { edit: { clear_at_least: { type: "input_tokens", value: 1_890 } }, cleared: 2, why: "enough goes" },
    { edit: { exclude_tools: ["read"] }, cleared: 0, why: "the tool is excluded" },
    { edit: { keep: { type: "tool_uses", value: 3 } }, cleared: 0, why: "all are kept" },
  ])("clears $cleared: $why", async ({ edit, cleared }) => {
    await withProvider({ countTokens: countCharacters }, async ({ anthropic }) => {
      const { context_management } = await anthropic.beta.messages.create({
        ...ask,
        messages: conversation(3),
        betas: [CLEAR],
        context_management: { edits: [{ ...clear, ...edit } as Edits[number]] },
      });
      const [applied] = context_management?.applied_edits ?? [];
      expect(applied === undefined ? 0 : Reflect.get(applied, "cleared_tool_uses")).toBe(cleared);
    });
  });

  it("leaves signed thinking valid, and clears it by turns", async () => {
    const script = [
      [think("I look."), callTool("read", {}, "toolu_a")],
      [think("I see."), say("Done.")],
      say("Ok."),
    ];
    await withProvider({ script, countTokens: countCharacters }, async ({ anthropic, provider }) => {
      const messages: Beta[] = [{ role: "user", content: "Read it." }];
      const turn = async (edits?: Edits) => {
        const managed = edits === undefined ? {} : { betas: [CLEAR], context_management: { edits } };
        const answer = await anthropic.beta.messages.create({ ...ask, ...managed, messages });
        messages.push({ role: "assistant", content: answer.content as Beta["content"] & object });
        return answer;
      };
      await turn();
      messages.push({
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_a", content: "x".repeat(1_000) }],
      });
      await turn([
        { ...clear, trigger: { type: "input_tokens", value: 100 }, keep: { type: "tool_uses", value: 0 } },
      ]);
      messages.push({ role: "user", content: "And now?" });
      const last = await turn([
        { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } },
      ]);
      expect(last.context_management?.applied_edits).toEqual([
        { type: "clear_thinking_20251015", cleared_thinking_turns: 1, cleared_input_tokens: 10 },
      ]);
      expect(provider.violations).toEqual([]);
    });
  });
});

describe("the rules of Anthropic's edits", () => {
  const thinking = { type: "clear_thinking_20251015" } as const;
  const compact = { type: "compact_20260112" } as const;
  it.each<{ edits: Edits; betas: string[]; words: RegExp; more?: object }>([
    { edits: [clear], betas: [], words: /context_management: Extra inputs are not permitted/ },
    { edits: [clear], betas: [COMPACT], words: /does not match any of the expected tags/ },
    { edits: [compact], betas: [CLEAR], words: /does not match any of the expected tags/ },
    { edits: [clear, thinking], betas: [CLEAR], words: /must be the first edit/ },
    { edits: [clear, clear], betas: [CLEAR], words: /at most once/ },
    {
      edits: [{ ...compact, trigger: { type: "input_tokens", value: 49_999 } }],
      betas: [COMPACT],
      words: /greater than or equal to 50000/,
    },
    {
      edits: [{ ...thinking, keep: { type: "thinking_turns", value: 0 } }],
      betas: [CLEAR],
      words: /keep: Input should be greater than or equal to 1/,
    },
    {
      edits: [thinking],
      betas: [CLEAR],
      words: /requires `thinking` to be enabled or adaptive/,
      more: { thinking: { type: "disabled" } },
    },
  ])("refuse $words", async ({ edits, betas, words, more }) => {
    await withProvider({}, async ({ anthropic }) => {
      const call = anthropic.beta.messages.create({
        ...ask,
        ...more,
        messages: conversation(1),
        ...(betas.length === 0 ? {} : { betas }),
        context_management: { edits },
      });
      expect(await rejectionOf(call)).toMatchObject({ status: 400, message: expect.stringMatching(words) });
    });
  });
});

describe("compaction at Anthropic's threshold", () => {
  const context_management = {
    edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } } as const],
  };
  const long: Beta[] = [{ role: "user", content: "w".repeat(60_000) }];
  const options = {
    countTokens: countCharacters,
    summarize: () => "<summary>Much w.</summary>",
    script: [[think("So many."), say("I saw them.")], say("Yes.")],
  };

  it.each([false, true])("brings a block first, and its own figures (streamed: %s)", async (isStreamed) => {
    await withProvider(options, async ({ anthropic, provider }) => {
      const request = { ...ask, messages: long, betas: [COMPACT], context_management };
      const answer = isStreamed
        ? await anthropic.beta.messages.stream(request).finalMessage()
        : await anthropic.beta.messages.create(request);
      expect(answer.content.map(({ type }) => type)).toEqual(["compaction", "thinking", "text"]);
      expect(answer.content[0]).toMatchObject({ content: "<summary>Much w.</summary>" });
      expect(answer.usage.iterations).toMatchObject([
        { type: "compaction", output_tokens: 26 },
        { type: "message", input_tokens: answer.usage.input_tokens },
      ]);
      expect(answer.usage.iterations?.[0]?.input_tokens).toBeGreaterThan(60_000);
      expect(answer.usage.input_tokens).toBeLessThan(200);

      const next: Beta = { role: "user", content: "Sure?" };
      const content = answer.content as Beta["content"] & object;
      const sizes: number[] = [];
      for (const before of [long, []]) {
        const messages = [...before, { role: "assistant", content } as Beta, next];
        const { usage } = await anthropic.beta.messages.create({ ...request, messages });
        sizes.push(usage.input_tokens);
      }
      // What stands before the block is ignored, and need not be sent; the thinking after it is valid in both.
      expect(sizes[0]).toBe(sizes[1]);
      expect(provider.violations).toEqual([]);
    });
  });

  it("refuses a block that is not declared, or that was changed", async () => {
    await withProvider(options, async ({ anthropic }) => {
      const request = { ...ask, messages: long, betas: [COMPACT], context_management };
      const { content } = await anthropic.beta.messages.create(request);
      const messages = (blocks: unknown): Beta[] => [
        { role: "assistant", content: blocks as Beta["content"] & object },
        { role: "user", content: "Sure?" },
      ];
      const undeclared = anthropic.beta.messages.create({
        ...ask,
        betas: [COMPACT],
        messages: messages(content),
      });
      expect(await rejectionOf(undeclared)).toMatchObject({
        status: 400,
        message: expect.stringContaining("needs `compact_20260112` among the edits"),
      });
      const changed = [{ ...content[0], content: "<summary>Little w.</summary>" }, ...content.slice(1)];
      const refused = anthropic.beta.messages.create({ ...request, messages: messages(changed) });
      expect(await rejectionOf(refused)).toMatchObject({
        status: 400,
        message: expect.stringContaining("compaction_signature_invalid"),
      });
    });
  });
});

describe("compaction on demand", () => {
  it("answers with a signed block alone at Anthropic, which goes first", async () => {
    await withProvider({ summarize: () => "All of it." }, async ({ anthropic, provider }) => {
      const messages = conversation(2);
      const request = { ...ask, betas: [SUMMARIZE] };
      const { content, stop_reason, usage } = await anthropic.beta.messages.create({
        ...request,
        messages,
        compaction: { type: "summarize" },
      });
      expect(content).toMatchObject([{ type: "compaction", content: "All of it." }]);
      expect(stop_reason).toBe("compaction");
      expect(usage).toMatchObject({
        input_tokens: 0,
        output_tokens: 0,
        iterations: [{ type: "compaction" }],
      });
      const block = { role: "assistant", content: content as Beta["content"] & object } as const;
      const next: Beta = { role: "user", content: "Go on." };
      await anthropic.beta.messages.create({ ...request, messages: [block, next] });
      expect(provider.violations).toEqual([]);
      const misplaced = anthropic.beta.messages.create({ ...request, messages: [...messages, block, next] });
      expect(await rejectionOf(misplaced)).toMatchObject({
        status: 400,
        message: expect.stringContaining("compaction_block_misplaced"),
      });
      const open = anthropic.beta.messages.create({
        ...request,
        messages: messages.slice(0, -1),
        compaction: { type: "summarize" },
      });
      expect(await rejectionOf(open)).toMatchObject({ status: 400 });
    });
  });

  it("keeps what the user said at OpenAI, and one item", async () => {
    await withProvider({ summarize: () => "All of it." }, async ({ openai }) => {
      const input = [
        { role: "user", content: "First." },
        { role: "assistant", content: "Ok." },
        { role: "user", content: "Second." },
      ] as const;
      const { output, object } = await openai.responses.compact({ model: "gpt-6-sol", input: [...input] });
      expect(object).toBe("response.compaction");
      expect(output).toMatchObject([
        { role: "user", content: "First." },
        { role: "user", content: "Second." },
        { type: "compaction" },
      ]);
    });
  });
});

describe("compaction at OpenAI's threshold", () => {
  it("brings an item, reads nothing before it, and refuses a changed one", async () => {
    const options = {
      countTokens: countCharacters,
      summarize: () => "Much w.",
      script: [say("I saw them.")],
    };
    await withProvider(options, async ({ openai, provider }) => {
      const ask = {
        model: "gpt-6-sol",
        store: false,
        context_management: [{ type: "compaction", compact_threshold: 10_000 }],
      };
      const question = { role: "user", content: "w".repeat(12_000) } as const;
      const { output: items, usage } = await openai.responses.create({ ...ask, input: [question] });
      const output = items as OpenAI.Responses.ResponseInputItem[];
      expect(output.map(({ type }) => type)).toEqual(["compaction", "message"]);
      // The bill has both passes in one figure.
      expect(usage?.input_tokens).toBeGreaterThan(12_000);
      const next = { role: "user", content: "Sure?" } as const;
      const whole = await openai.responses.create({ ...ask, input: [question, ...output, next] });
      const short = await openai.responses.create({ ...ask, input: [...output, next] });
      expect(whole.usage?.input_tokens).toBe(short.usage?.input_tokens);
      expect(provider.requests.at(-1)?.promptTokens).toBe(short.usage?.input_tokens);
      const [item, ...rest] = output;
      const changed = { ...item!, encrypted_content: "gAAAACbad.x" } as typeof item & object;
      expect(
        await rejectionOf(openai.responses.create({ ...ask, input: [changed, ...rest, next] })),
      ).toMatchObject({ status: 400, message: expect.stringContaining("could not be verified") });
      const small = [{ type: "compaction", compact_threshold: 10 }];
      expect(
        await rejectionOf(openai.responses.create({ ...ask, context_management: small, input: [next] })),
      ).toMatchObject({ status: 400 });
    });
  });
});
