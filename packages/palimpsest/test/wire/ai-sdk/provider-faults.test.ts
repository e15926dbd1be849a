/** Every fault of the scripted provider through every client: its classification, and that nothing hangs. */

import { type ScriptedProvider, type ScriptStep, scriptedProvider } from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { classifyModelError } from "#wire/errors/model-failure.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { CLIENTS } from "./clients.ts";

interface Case {
  readonly step: ScriptStep;
  readonly kinds: readonly string[];
}

const CASES: readonly Case[] = [
  { step: { fault: "rate-limit", retryAfterSeconds: 3 }, kinds: ["throttled"] },
  { step: { fault: "rate-limit", tokensPerMinute: 5 }, kinds: ["over-rate-limit", "throttled"] },
  { step: { fault: "server-error" }, kinds: ["overloaded"] },
  { step: { fault: "server-error", status: 503 }, kinds: ["overloaded"] },
  { step: { fault: "overloaded" }, kinds: ["overloaded"] },
  { step: { fault: "cut" }, kinds: ["network", "unreadable-answer"] },
  { step: { fault: "garbage", kind: "not-json" }, kinds: ["unreadable-answer", "network"] },
  { step: { fault: "garbage", kind: "wrong-shape" }, kinds: ["unreadable-answer", "network"] },
  { step: { fault: "garbage", kind: "html" }, kinds: ["unreadable-answer", "network"] },
  { step: { fault: "prompt-too-long", windowTokens: 5 }, kinds: ["prompt-too-long"] },
  { step: { fault: "prompt-too-long", windowTokens: 5, hasNumbers: false }, kinds: ["prompt-too-long"] },
  { step: { fault: "body-too-large" }, kinds: ["body-too-large"] },
  { step: { fault: "body-too-large", isFromEdge: true }, kinds: ["body-too-large"] },
  { step: { fault: "unknown-model" }, kinds: ["unknown-model"] },
  { step: { fault: "bad-request", message: "Some rule is broken." }, kinds: ["invalid-request"] },
];

let provider: ScriptedProvider;
let step: ScriptStep;
beforeEach(async () => {
  provider = await scriptedProvider({ script: () => step });
});
afterEach(() => provider.close());

/** By default each client has every fourth fault, another one first: each fault comes through some of them. */
const STEP = 4;

describe.each(CLIENTS.map((client, index) => ({ ...client, index })))("$name", ({
  connect,
  model,
  index,
}) => {
  const request = {
    model,
    system: "Be brief.",
    messages: [
      { role: "user" as const, content: [{ type: "text" as const, text: "How warm is it in Oslo today?" }] },
    ],
  };

  it.each(usualFew(CASES, STEP, index))("tells $step", async ({ step: faulty, kinds }) => {
    step = faulty;
    for (const way of ["generate", "stream"] as const) {
      const outcome = await connect(provider.url)
        [way](request)
        .then((answer) => ({ kind: `it answered: ${answer.stopReason}` }), classifyModelError);
      expect(kinds, way).toContain(outcome.kind);
    }
  });

  it("tells the limit that the provider names, if it names one", async () => {
    step = { fault: "prompt-too-long", windowTokens: 5 };
    const failure = await connect(provider.url)
      .generate(request)
      .then(() => undefined, classifyModelError);
    // The Responses API names no figures.
    if (model === "gpt-5.1") expect(failure?.limitTokens).toBeUndefined();
    else expect(failure).toMatchObject({ limitTokens: 5, promptTokens: expect.any(Number) });
  });
});
