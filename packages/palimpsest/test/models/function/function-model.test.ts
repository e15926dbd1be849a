/** A model that is a function: what it may answer, and that an abort does not wait for it. */
import { describe, expect, it } from "vitest";
import { functionModel } from "#models/function/function-model.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";

const request: ModelRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
};
const call = { type: "tool_use", id: "a", name: "list", input: {} } as const;

describe("functionModel", () => {
  it.each([
    {
      why: "a text",
      answer: "Yes.",
      is: { messages: [{ role: "assistant", content: [{ type: "text", text: "Yes." }] }], stopReason: "end" },
    },
    { why: "no text", answer: "", is: { messages: [], stopReason: "end" } },
    {
      why: "a message with a call",
      answer: { role: "assistant" as const, content: [call] },
      is: { messages: [{ role: "assistant", content: [call] }], stopReason: "tool-use" },
    },
    {
      why: "all that is known",
      answer: { messages: [], stopReason: "refusal" as const, rawStopReason: "no" },
      is: { messages: [], stopReason: "refusal", rawStopReason: "no" },
    },
  ])("takes $why", async ({ answer, is }) => {
    expect(await functionModel(() => answer).generate(request)).toEqual(is);
    expect(await functionModel(async () => answer).generate(request)).toEqual(is);
  });

  it("hands over the request and the signal", async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const model = functionModel((asked, { signal }) => {
      seen.push(asked, signal);
      return "Yes.";
    });
    await model.generate(request, { signal: controller.signal });
    expect(seen).toEqual([request, controller.signal]);
  });

  it.each([
    undefined,
    null,
    5,
    {},
    { role: "user", content: [] },
    { role: "assistant" },
    { messages: [] },
  ])("refuses what is no answer: %j", async (answer) => {
    const error = await functionModel(() => answer as never)
      .generate(request)
      .catch((thrown: unknown) => thrown);
    expect(classifyModelError(error).kind).toBe("unreadable-answer");
  });

  it("says what it got, and what to return", async () => {
    const model = functionModel(() => ({ content: [], stop_reason: "end_turn" }) as never, {
      provider: "mine",
    });
    await expect(model.generate(request)).rejects.toMatchObject({
      message:
        'The function of the model "mine" returned an object with "content", "stop_reason", which is no answer.',
      hint: expect.stringContaining('{ role: "assistant", content: [blocks] }'),
    });
  });

  it("rejects with what the function throws, at once or later", async () => {
    const error = new RangeError("mine");
    const fail = (): never => {
      throw error;
    };
    await expect(functionModel(fail).generate(request)).rejects.toBe(error);
    await expect(functionModel(async () => fail()).generate(request)).rejects.toBe(error);
  });

  it("rejects when it is aborted, whether the function listens or not", async () => {
    const never = functionModel(() => new Promise(() => undefined));
    const controller = new AbortController();
    const waiting = never.generate(request, { signal: controller.signal });
    controller.abort();
    expect(await waiting.catch((thrown: unknown) => classifyModelError(thrown).kind)).toBe("aborted");
    const asked: string[] = [];
    const late = functionModel(() => {
      asked.push("asked");
      return "Yes.";
    });
    await expect(late.generate(request, { signal: controller.signal })).rejects.toThrow();
    expect(asked).toEqual([]);
  });

  it("leaves no listener behind on a signal that lives longer", async () => {
    const { signal } = new AbortController();
    let listenersCount = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listenersCount++;
      add(...args);
    }) as typeof add;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listenersCount--;
      remove(...args);
    }) as typeof remove;
    await functionModel(async () => "Yes.").generate(request, { signal });
    expect(listenersCount).toBe(0);
  });
});
