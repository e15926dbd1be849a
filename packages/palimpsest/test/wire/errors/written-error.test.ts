/** Failures as vendors' errors: what a client of that vendor reads is the failure that was written. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelFailure, ModelFailureKind } from "#ports/model-failure.ts";
import { FORMATS } from "#test/wire/shared/formats.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";

const tokens = fc.integer({ min: 1, max: 2_000_000 });

/** Failures of each kind with the figures that it can have. */
const failures: fc.Arbitrary<ModelFailure> = fc.oneof(
  fc.tuple(tokens, tokens).map(
    ([limit, over]): ModelFailure => ({
      ...{
        kind: "prompt-too-long",
        message: "The context is full.",
        promptTokens: limit + over,
        limitTokens: limit,
      },
    }),
  ),
  fc.tuple(tokens, tokens).map(
    ([prompt, output]): ModelFailure => ({
      ...{ kind: "output-too-long", message: "", promptTokens: prompt },
      ...{ limitTokens: prompt + output, outputTokens: output + 1 },
    }),
  ),
  fc.constantFrom<ModelFailure>(
    { kind: "prompt-too-long", message: "" },
    { kind: "body-too-large", message: "much too large" },
    { kind: "media-too-large", message: "" },
    { kind: "media-too-large", message: "", bytes: 6_096_280, limitBytes: 5_242_880 },
    { kind: "overloaded", message: "" },
    { kind: "overloaded", message: "The model is busy.", status: 500 },
    { kind: "timeout", message: "" },
    { kind: "not-allowed", message: "" },
    { kind: "not-allowed", message: "Your credit balance is too low.", status: 402 },
    { kind: "unknown-model", message: "" },
    { kind: "invalid-request", message: "messages: at least one message is required" },
    { kind: "invalid-request", message: "No such route.", status: 404 },
  ),
  fc
    .integer({ min: 1, max: 100_000 })
    .map((retryAfterMs): ModelFailure => ({ kind: "throttled", message: "", retryAfterMs })),
);

describe.each(FORMATS)("an error in the format $name", ({ name, writeError }) => {
  it("reads as the failure that it was written from", () => {
    fc.assert(
      fc.property(failures, (failure) => {
        const { status, headers, body } = writeError(failure);
        const read = classifyModelError({ status, headers, error: body });
        const { message: _, status: asked, ...figures } = failure;
        expect(read).toMatchObject(figures);
        expect(status).toBe(asked ?? status);
      }),
    );
  });

  it.each<{ kind: ModelFailureKind; status: number }>([
    { kind: "prompt-too-long", status: 400 },
    { kind: "body-too-large", status: 413 },
    { kind: "throttled", status: 429 },
    { kind: "over-rate-limit", status: 429 },
    { kind: "overloaded", status: name === "anthropic" ? 529 : 503 },
    { kind: "network", status: 502 },
    { kind: "timeout", status: 504 },
    { kind: "aborted", status: 500 },
    { kind: "not-allowed", status: 401 },
    { kind: "unknown-model", status: 404 },
    { kind: "unreadable-answer", status: 502 },
    { kind: "unknown", status: 500 },
  ])("has the status $status for $kind", ({ kind, status }) => {
    expect(writeError({ kind, message: "" }).status).toBe(status);
  });

  it("passes on words that say the same, and replaces words that do not", () => {
    const words = (message: string) => writeError({ kind: "throttled", message }).body.error["message"];
    expect(words("Too many requests, my friend.")).toBe("Too many requests, my friend.");
    expect(words("prompt is too long")).not.toContain("prompt is too long");
  });
});

describe("the words of a prompt that is too long", () => {
  const failure: ModelFailure = {
    ...{ kind: "prompt-too-long", message: "too long", promptTokens: 213_462, limitTokens: 200_000 },
  };

  it.each([
    { name: "anthropic", message: "prompt is too long: 213462 tokens > 200000 maximum" },
    {
      name: "openai-chat",
      message:
        "This model's maximum context length is 200000 tokens. However, your messages resulted in 213462 tokens. Please reduce the length of the messages.",
    },
    {
      name: "openai-responses",
      message:
        "Input tokens exceed the configured limit of 200000 tokens. Your messages resulted in 213462 tokens. Please reduce the length of the messages.",
    },
  ])("are those of $name, with the figures", ({ name, message }) => {
    const format = FORMATS.find((one) => one.name === name)!;
    expect(format.writeError(failure).body.error["message"]).toBe(message);
  });
});
