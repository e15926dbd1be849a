/** Failures on the way, as the Anthropic SDK meets them; and a server that stays up and goes away. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { type Fault, say, scriptedProvider, seededFaults } from "#scripted-provider/scripted-provider.ts";
import { rejectionOf, withProvider } from "#test/fakes/kit.ts";

const ask = {
  model: "claude-sonnet-4-6",
  max_tokens: 1_000,
  messages: [{ role: "user" as const, content: "hi" }],
};
const long = say("This is an answer with enough words in it to come in several pieces.");

describe("a fault", () => {
  it.each<{ fault: Fault; status: number; says: string }>([
    { fault: { fault: "rate-limit" }, status: 429, says: "per-minute rate limit" },
    {
      fault: { fault: "rate-limit", tokensPerMinute: 30_000 },
      status: 429,
      says: "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    },
    { fault: { fault: "server-error" }, status: 500, says: "Internal server error" },
    { fault: { fault: "server-error", status: 502 }, status: 502, says: "Bad Gateway" },
    { fault: { fault: "overloaded" }, status: 529, says: "Overloaded" },
    { fault: { fault: "body-too-large" }, status: 413, says: "Request exceeds the maximum size" },
    { fault: { fault: "body-too-large", isFromEdge: true }, status: 413, says: "Request Entity Too Large" },
    { fault: { fault: "prompt-too-long" }, status: 400, says: "prompt is too long: 4 tokens > 3 maximum" },
    { fault: { fault: "prompt-too-long", hasNumbers: false }, status: 400, says: "prompt is too long" },
    {
      fault: { fault: "prompt-too-long", windowTokens: 900 },
      status: 400,
      says: "prompt is too long: 901 tokens > 900 maximum",
    },
    { fault: { fault: "unknown-model" }, status: 404, says: "model: claude-sonnet-4-6" },
    { fault: { fault: "bad-request", message: "a new rule" }, status: 400, says: "a new rule" },
  ])("reaches the SDK as what it is: $status $says", async ({ fault, status, says }) => {
    await withProvider({ script: [fault] }, async ({ anthropic, provider }) => {
      const error = await rejectionOf(anthropic.messages.create(ask));
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error["status"]).toBe(status);
      expect(error.message).toContain(says);
      expect(provider.requests).toMatchObject([{ fault: fault.fault, status }]);
      expect(provider.overflows).toHaveLength(fault.fault === "prompt-too-long" ? 1 : 0);
      expect(provider.violations).toEqual([]);
    });
  });

  it("that the SDK tries again is counted as another attempt", async () => {
    await withProvider(
      { script: [{ fault: "overloaded" }, { fault: "rate-limit", retryAfterSeconds: 0 }, "At last."] },
      async ({ anthropic, provider }) => {
        expect((await anthropic.messages.create(ask)).content).toMatchObject([{ text: "At last." }]);
        expect(provider.requests.map(({ retryCount, status }) => [retryCount, status])).toEqual([
          [0, 529],
          [1, 429],
          [2, 200],
        ]);
      },
      { maxRetries: 2 },
    );
  });

  it("leaves the client hanging until it gives up, before the answer or in the middle", async () => {
    await withProvider(
      {
        script: [
          { fault: "hang", afterEvents: 1 },
          { fault: "hang", afterEvents: 3 },
        ],
      },
      async ({ anthropic, provider }) => {
        const aborter = new AbortController();
        const hanging = rejectionOf(anthropic.messages.create(ask, { signal: aborter.signal }));
        await until(() => provider.requests[0]?.outcome === "failed");
        aborter.abort();
        expect(await hanging).toBeInstanceOf(Anthropic.APIUserAbortError);
        await until(() => provider.requests[0]?.isAborted === true);

        const types: string[] = [];
        const stream = await anthropic.messages.create({ ...ask, stream: true });
        for await (const event of stream) {
          types.push(event.type);
          if (types.length === 2) break;
        }
        await until(() => provider.requests[1]?.isAborted === true);
        expect(types).toEqual(["message_start", "content_block_start"]);
      },
    );
  });

  it("cuts a stream in the middle of an event", async () => {
    await withProvider(
      { script: [{ fault: "cut", answer: { parts: [long] } }] },
      async ({ anthropic, provider }) => {
        const texts: string[] = [];
        const stream = anthropic.messages.stream(ask).on("text", (text) => texts.push(text));
        const error = await rejectionOf(stream.finalMessage());
        expect(error.message).toContain("terminated");
        expect(texts.join("")).toBe("This is an answer with e");
        expect(provider.requests).toMatchObject([{ outcome: "failed", fault: "cut", isAborted: false }]);
      },
    );
  });

  it("cuts the JSON of an answer", async () => {
    await withProvider({ script: [{ fault: "cut" }] }, async ({ anthropic }) => {
      expect((await rejectionOf(anthropic.messages.create(ask))).message).toContain("terminated");
    });
  });

  it("breaks a stream off with an error event", async () => {
    await withProvider({ script: [{ fault: "overloaded", isMidStream: true }] }, async ({ anthropic }) => {
      const error = await rejectionOf(anthropic.messages.stream(ask).finalMessage());
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error.message).toContain("Overloaded");
    });
  });

  it.each([
    { kind: "not-json", body: '{"id":"msg_1","type":"message","content":[{"type":"text","te' },
    { kind: "wrong-shape", body: { result: "ok" } },
    { kind: "html", body: "<!DOCTYPE html><html><body>Sign in to the guest network</body></html>" },
  ] as const)("answers with garbage: $kind", async ({ kind, body }) => {
    await withProvider({ script: [{ fault: "garbage", kind }] }, async ({ post }) => {
      expect(await post("/v1/messages", ask)).toMatchObject({ status: 200, body });
    });
  });
});

describe("a plan of faults", () => {
  it("is the same for the same seed, has about its share, and leaves the script its steps", async () => {
    const drawn = async (seed: number): Promise<readonly (string | undefined)[]> => {
      const outcomes: (string | undefined)[] = [];
      await withProvider(
        { faults: seededFaults({ seed, share: 0.3, kinds: ["overloaded", "server-error"] }) },
        async ({ post, provider }) => {
          for (let call = 0; call < 50; call++) await post("/v1/messages", ask);
          outcomes.push(...provider.requests.map(({ fault }) => fault));
        },
      );
      return outcomes;
    };
    const one = await drawn(7);
    expect(await drawn(7)).toEqual(one);
    expect(await drawn(8)).not.toEqual(one);
    const failedCount = one.filter((fault) => fault !== undefined).length;
    expect(failedCount).toBeGreaterThan(7);
    expect(failedCount).toBeLessThan(23);
    expect(new Set(one)).toEqual(new Set([undefined, "overloaded", "server-error"]));
  });

  it("does not hide what is wrong with a request", async () => {
    await withProvider({ faults: () => ({ fault: "overloaded" }) }, async ({ post, provider }) => {
      expect(await post("/v1/messages", { ...ask, messages: [] })).toMatchObject({ status: 400 });
      expect(provider.violations).toHaveLength(1);
    });
  });
});

describe("a scripted provider", () => {
  it.each([
    { body: "", why: "no body" },
    { body: "{", why: "half a body" },
    { body: "[]", why: "no object" },
    { body: "null", why: "null" },
    {
      body: `${'{"messages":'.repeat(20_000)}1${"}".repeat(20_000)}`,
      why: "JSON nested deeply in a field that is not one",
    },
    {
      body: JSON.stringify({ ...ask, messages: [{ role: "user", content: "@" }] }).replace(
        '"@"',
        `[${'{"type":"tool_result","tool_use_id":"a","content":['.repeat(20_000)}${"]}".repeat(20_000)}]`,
      ),
      why: "results within results",
    },
    {
      body: { model: 5, max_tokens: "x", messages: { length: 9 }, tools: "none", system: 1 },
      why: "wrong kinds",
    },
    {
      body: { ...ask, messages: [null, 5, "a", { role: [] }, { role: "user", content: [null, 7, {}] }] },
      why: "no messages",
    },
    {
      body: '{"__proto__":{"model":"a"},"constructor":1,"messages":[{"__proto__":1}]}',
      why: "names of prototypes",
    },
  ])("answers hostile bodies with status 400: $why", async ({ body }) => {
    await withProvider({}, async ({ post }) => {
      expect(await post("/v1/messages", body)).toMatchObject({
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error" } },
      });
      expect((await post("/v1/messages", ask)).status).toBe(200);
    });
  });

  it("refuses bodies above its limit, and paths that nobody listens at", async () => {
    await withProvider({ maxBodyBytes: 500 }, async ({ post, provider }) => {
      const large = { ...ask, messages: [{ role: "user", content: "x".repeat(600) }] };
      expect(await post("/v1/messages", large)).toMatchObject({
        status: 413,
        body: { error: { type: "request_too_large" } },
      });
      expect(await post("/v1/nothing", ask)).toMatchObject({ status: 404 });
      expect(provider.requests.map(({ outcome }) => outcome)).toEqual(["refused", "refused"]);
    });
  });

  it("ends at once, with requests that hang", async () => {
    const provider = await scriptedProvider({ script: () => ({ fault: "hang" }) });
    const anthropic = new Anthropic({ apiKey: "any", baseURL: provider.url, maxRetries: 0 });
    const hanging = Promise.all([1, 2, 3].map(() => rejectionOf(anthropic.messages.create(ask))));
    await until(() => provider.requests.length === 3);
    await provider.close();
    for (const error of await hanging) expect(error).toBeInstanceOf(Anthropic.APIConnectionError);
    await provider.close();
  });

  it("tells of a script that throws, at the call and when it is closed", async () => {
    const provider = await scriptedProvider({
      script: () => {
        throw new Error("the fifth call was not expected");
      },
    });
    const anthropic = new Anthropic({ apiKey: "any", baseURL: provider.url });
    const error = await rejectionOf(anthropic.messages.create(ask));
    expect(error.message).toContain("The script failed: Error: the fifth call was not expected");
    await expect(provider.close()).rejects.toThrow("the fifth call was not expected");
  });
});

/** Waits for something that the other side of a connection brings about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
