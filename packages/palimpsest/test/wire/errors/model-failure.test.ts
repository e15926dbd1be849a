/** The classification of errors of any SDK; no error is too strange for it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyModelError, FAILURE_ROWS } from "#wire/errors/model-failure.ts";
import { FURTHER_VENDOR_SAMPLES } from "./further-vendor-samples.ts";
import { LARGE_VENDOR_SAMPLES } from "./large-vendor-samples.ts";
import { LOOKALIKE_SAMPLES } from "./lookalike-samples.ts";
import { OTHER_SAMPLES } from "./other-samples.ts";
import { TOO_LARGE_SAMPLES } from "./too-large-samples.ts";

const samples = [
  ...LARGE_VENDOR_SAMPLES,
  ...FURTHER_VENDOR_SAMPLES,
  ...TOO_LARGE_SAMPLES,
  ...OTHER_SAMPLES,
  ...LOOKALIKE_SAMPLES,
];

describe("what providers say", () => {
  it.each(samples)("$says.kind: $why", ({ error, says }) => {
    const failure = classifyModelError(error);
    for (const [field, value] of Object.entries(says))
      expect(failure[field as keyof typeof failure], field).toEqual(value);
  });

  it.each(FAILURE_ROWS)("$vendor: a row finds its own sample", ({ pattern, codes, sample, kind }) => {
    if (pattern !== undefined) expect(sample).toMatch(pattern);
    else expect(codes).not.toEqual([]);
    if (pattern !== undefined) expect(classifyModelError(new Error(sample)).kind).toBe(kind);
  });

  it("reads only groups that are figures", () => {
    const groups = FAILURE_ROWS.flatMap(({ pattern }) =>
      [...(pattern?.source ?? "").matchAll(/\(\?<(\w+)>/g)].map((match) => match[1]),
    );
    expect(groups.length).toBeGreaterThan(30);
    const figures = ["prompt", "more", "limit", "output", "bytes", "limitBytes"];
    expect(groups.filter((group) => !figures.includes(group ?? ""))).toEqual([]);
  });
});

describe("any error at all", () => {
  it("is told without throwing", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withDate: true, withMap: true }), (error) => {
        const failure = classifyModelError(error);
        expect(failure.message.length).toBeGreaterThan(0);
        expect(failure.message.length).toBeLessThanOrEqual(500);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    {
      why: "getters that throw",
      error: {
        get message(): string {
          throw new RangeError("no");
        },
        status: 429,
      },
      kind: "throttled",
    },
    { why: "a circle of causes", error: circle(), kind: "prompt-too-long" },
    { why: "a revoked proxy", error: revoked(), kind: "unknown" },
    { why: "a proxy that throws whatever is asked", error: hostileProxy(), kind: "unknown" },
    { why: "causes without end", error: endless(), kind: "unknown" },
    {
      why: "JSON nested without end",
      error: new Error("[".repeat(90_000) + '{"a":'.repeat(2_000)),
      kind: "unknown",
    },
    {
      why: "figures that are none",
      error: "prompt is too long: 99999999999999999999 tokens > 0 maximum",
      kind: "prompt-too-long",
    },
    {
      why: "a header that is no Headers",
      error: {
        status: 429,
        headers: {
          get: () => {
            throw new RangeError("no");
          },
        },
      },
      kind: "throttled",
    },
  ])("survives $why", ({ error, kind }) => {
    const failure = classifyModelError(error);
    expect(failure.kind).toBe(kind);
    expect(failure.promptTokens).not.toBe(Number.POSITIVE_INFINITY);
    expect(failure.limitTokens).not.toBe(0);
  });
});

describe("the message that is handed on", () => {
  it("is the provider's own sentence, not the envelope around it", () => {
    const envelope =
      '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one message is required"}}';
    expect(classifyModelError(new Error(envelope)).message).toBe(
      "messages: at least one message is required",
    );
  });

  it("holds no key", () => {
    const key = `sk-ant-${"a1".repeat(20)}`;
    expect(classifyModelError(new Error(`invalid x-api-key ${key}`)).message).toBe(
      "invalid x-api-key [redacted: anthropic]",
    );
  });

  it("holds no key that is joined to a terminal's sequence, and no sequence", () => {
    const key = `sk-ant-${"a1".repeat(20)}`;
    expect(classifyModelError(new Error(`no \u001b[2J${key} \u202e\u009b31m`)).message).toBe(
      "no \\u{1B}[2J[redacted: anthropic] \\u{202E}\\u{9B}31m",
    );
    expect(classifyModelError(new Error(`no \u001b[2J${key}`.repeat(1_000))).message).not.toContain("a1a1");
  });

  it("is cut between characters", () => {
    const { message } = classifyModelError(new Error("𝄞".repeat(2_000)));
    expect(message.length).toBeLessThanOrEqual(500);
    expect(message).toMatch(/^(?:𝄞)+…$/u);
  });
});

function circle(): unknown {
  const inner: { message: string; cause?: unknown } = { message: "prompt is too long" };
  inner.cause = { message: "outer", cause: inner };
  return inner;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function hostileProxy(): unknown {
  const fail = (): never => {
    throw new RangeError("no");
  };
  return new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail });
}

/** Each cause has another. */
function endless(): unknown {
  return {
    get cause(): unknown {
      return endless();
    },
  };
}
