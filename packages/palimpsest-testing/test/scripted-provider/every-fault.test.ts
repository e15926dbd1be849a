/** Every fault on every wire: the vendors' SDKs meet it, each call ends, and the provider goes on. */
import { describe, expect, it } from "vitest";
import { type SeededFault, seededFaults } from "#scripted-provider/scripted-provider.ts";
import { type Connected, withProvider } from "#test/fakes/kit.ts";

const question = [{ role: "user" as const, content: "hi" }];

/** Reads a whole answer in each way in which the SDKs bring one; resolves with what it says. */
const WIRES: Readonly<Record<string, (connected: Connected) => Promise<string>>> = {
  "Anthropic, whole": async ({ anthropic }) => {
    const message = await anthropic.messages.create({
      model: "claude-opus-5-5",
      max_tokens: 90,
      messages: question,
    });
    return message.content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  },
  "Anthropic, streamed": async ({ anthropic }) => {
    const stream = anthropic.messages.stream({
      model: "claude-opus-5-5",
      max_tokens: 90,
      messages: question,
    });
    const { content } = await stream.finalMessage();
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  },
  "Responses, whole": async ({ openai }) =>
    (await openai.responses.create({ model: "gpt-5.5", input: question, store: false })).output
      .map((item) => (item.type === "message" ? item.content.map((part) => part.type).join() : item.type))
      .join(),
  "Responses, streamed": async ({ openai }) => {
    let last = "nothing";
    const stream = await openai.responses.create({
      model: "gpt-5.5",
      input: question,
      store: false,
      stream: true,
    });
    for await (const { type } of stream) last = type;
    return last;
  },
  "Chat, whole": async ({ openai }) =>
    String(
      (await openai.chat.completions.create({ model: "gpt-4o", messages: question })).choices[0]!
        .finish_reason,
    ),
  "Chat, streamed": async ({ openai }) => {
    const stream = openai.chat.completions.stream({ model: "gpt-4o", messages: question });
    return String((await stream.finalChatCompletion()).choices[0]!.finish_reason);
  },
};

/** The effect of each fault on a client: an error on every wire, or another answer. */
const KINDS: readonly { readonly kind: SeededFault; readonly ends: "error" | "answer" | "either" }[] = [
  { kind: "rate-limit", ends: "error" },
  { kind: "server-error", ends: "error" },
  { kind: "overloaded", ends: "error" },
  { kind: "overloaded-mid-stream", ends: "error" },
  { kind: "cut", ends: "error" },
  { kind: "prompt-too-long", ends: "error" },
  { kind: "prompt-too-long-without-numbers", ends: "error" },
  { kind: "body-too-large", ends: "error" },
  // The SDKs take some of it for an answer, which is why hosts have to look at what they got.
  { kind: "not-json", ends: "either" },
  { kind: "wrong-shape", ends: "either" },
  { kind: "html", ends: "either" },
  { kind: "empty-answer", ends: "answer" },
  { kind: "refusal", ends: "answer" },
  { kind: "stray-tool-call", ends: "answer" },
  { kind: "output-limit", ends: "answer" },
];

describe("every fault on every wire", () => {
  it.each(KINDS)("$kind ends in: $ends", async ({ kind, ends }) => {
    for (const [wire, call] of Object.entries(WIRES)) {
      let isOver = false;
      const plan = seededFaults({ seed: 1, share: 1, kinds: [kind] });
      await withProvider({ faults: (request) => (isOver ? undefined : plan(request)) }, async (connected) => {
        const outcome = await call(connected).then(
          () => "answer",
          (error: unknown) => (error instanceof Error ? "error" : "something else"),
        );
        expect(ends === "either" ? ["answer", "error"] : [ends], `${wire}: ${outcome}`).toContain(outcome);
        isOver = true;
        expect(await call(connected), wire).not.toBe("");
        expect(connected.provider.requests.map(({ outcome: end }) => end).at(-1)).toBe("answered");
        expect(connected.provider.violations).toEqual([]);
      });
    }
  });

  it("in any mixture, call after call, with the SDKs' own retries", async () => {
    await withProvider(
      { faults: seededFaults({ seed: 20_261_122, share: 0.5 }) },
      async (connected) => {
        const ends = new Set<string>();
        for (let round = 0; round < 8; round++)
          for (const call of Object.values(WIRES))
            ends.add(
              await call(connected).then(
                () => "answer",
                (error: unknown) => (error instanceof Error ? "error" : "something else"),
              ),
            );
        expect([...ends].sort()).toEqual(["answer", "error"]);
        expect(connected.provider.requests.every(({ outcome }) => outcome !== "pending")).toBe(true);
        expect(connected.provider.violations).toEqual([]);
      },
      { maxRetries: 1 },
    );
  });
});
