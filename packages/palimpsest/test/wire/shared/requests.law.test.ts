/** Laws of whole requests: what a format can say is the same after it was written and read by a server. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#base/json/json.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import {
  call,
  id,
  image,
  message,
  plain,
  result,
  text,
  words,
} from "#test/wire/anthropic/wire-arbitraries.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";
import { FORMATS, type Format } from "./formats.ts";

const RUNS = { numRuns: bySize({ usual: 25, long: 100 }) };

/** An answer says its text before its calls in Chat, and results of tools are separate messages. */
const answer = fc
  .tuple(fc.array(text, { maxLength: 1 }), fc.array(call, { maxLength: 3 }))
  .filter(([texts, calls]) => texts.length + calls.length > 0)
  .map(([texts, calls]): RequestMessage => ({ role: "assistant", content: [...texts, ...calls] }));
const single = result.map((block): RequestMessage => ({ role: "user", content: [block] }));
const user = message("user", text, image);
/** Responses merges neighbouring answers: a turn is an answer and what follows it. */
const messages = fc
  .tuple(user, fc.array(fc.tuple(answer, fc.oneof(single, user)), { maxLength: 3 }))
  .map(([first, turns]) => [first, ...turns.flat()]);
const parameters = fc.dictionary(
  fc.constantFrom("temperature", "tool_choice", "metadata", "a_new_field"),
  fc.oneof(fc.integer(), fc.constant({ type: "auto" }), words),
);
const tools: fc.Arbitrary<readonly JsonObject[]> = fc.array(
  id.map((name) => ({ name, description: "Does it.", input_schema: { type: "object" } })),
  { minLength: 1, maxLength: 3 },
);

const requests: fc.Arbitrary<ModelRequest> = fc.record(
  {
    model: id,
    messages,
    system: words,
    tools,
    parameters: parameters.filter((fields) => Object.keys(fields).length > 0),
    maxOutputTokens: fc.integer({ min: 1, max: 64_000 }),
  },
  { requiredKeys: ["model", "messages", "maxOutputTokens"] },
);

const bare = ({ messages: sent, ...request }: ModelRequest): unknown => ({
  ...request,
  messages: plain(sent),
});

describe.each(FORMATS)("a request in the format $name", (format: Format) => {
  it("is the same after it was written and read", () => {
    fc.assert(
      fc.property(requests, (request) => {
        const read = format.readRequest(JSON.stringify(format.writeRequest(request)));
        expect(bare(read.request)).toEqual(bare(request));
        expect(read.unreadable).toEqual([]);
        expect(read.isStreaming).toBe(false);
      }),
      RUNS,
    );
  });

  it("reads the same once it has been read and written, whatever is in it", () => {
    const content = fc.oneof(
      words,
      fc.array(fc.oneof(fc.object(), fc.constant({ type: "text", text: "a" }))),
    );
    const item = fc.record(
      { role: fc.constantFrom("user", "assistant", "system", "tool", "robot"), content, type: words },
      { requiredKeys: [] },
    );
    const list = fc.array(fc.oneof(item, fc.anything({ maxDepth: 2 })), { maxLength: 4 });
    const body = fc.record(
      {
        ...{ model: id, messages: list, input: list, system: fc.oneof(words, content) },
        ...{ tools: fc.anything({ maxDepth: 2 }), max_tokens: fc.anything(), instructions: words },
        ...{ stream: fc.boolean(), include: fc.array(words), store: fc.boolean() },
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(body, (sent) => {
        const json = JSON.stringify(sent);
        const once = format.rewrite(json);
        expect(format.rewrite(JSON.parse(JSON.stringify(once)))).toEqual(once);
      }),
      RUNS,
    );
  });

  it("is streamed where it asks for that, which is no parameter", () => {
    const read = format.readRequest({ ...format.writeRequest({ model: "m", messages: [] }), stream: true });
    expect(read.isStreaming).toBe(true);
    expect(read.request.parameters ?? {}).not.toHaveProperty("stream");
  });

  it.each([
    "",
    "[]",
    "null",
    "7",
    '"text"',
    '{"model":',
    "[".repeat(100_000),
  ])("is refused with a typed error where its body is %j", (body) => {
    expect(() => format.readRequest(body)).toThrow(
      expect.objectContaining({ code: "MODEL_FAILED", kind: "invalid-request", status: 400 }),
    );
  });
});

describe("the cache marks of an Anthropic request", () => {
  const [anthropic] = FORMATS;

  it("are the same after they were written and read, on blocks, system prompt and tools", () => {
    const marked = fc
      .tuple(
        requests,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        fc.constantFrom({ cacheTtl: "5m" }, { cacheTtl: "1h" }, { cacheTtl: "5m", headCacheTtl: "1h" }),
      )
      .map(([request, picks, lifetimes]) => {
        // Without system prompt and tools there is no head to mark.
        const hasHead = (request.system ?? "").trim() !== "" || (request.tools ?? []).length > 0;
        const { cacheTtl } = lifetimes;
        const places = request.messages.flatMap(({ content }, index) =>
          content.map((_, block) => ({ message: index, block })),
        );
        const chosen = new Set(picks.map((pick) => pick % places.length));
        return {
          ...request,
          cacheMarks: places.filter((_, index) => chosen.has(index)),
          ...(hasHead ? lifetimes : { cacheTtl }),
        };
      });
    fc.assert(
      fc.property(marked as fc.Arbitrary<ModelRequest>, (request) => {
        const body = anthropic!.writeRequest(request);
        expect(bare(anthropic!.readRequest(JSON.stringify(body)).request)).toEqual(bare(request));
      }),
      RUNS,
    );
  });

  it.each([
    {
      why: "a system prompt of several blocks",
      system: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    {
      why: "a mark on the system prompt alone",
      system: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }],
    },
    { why: "a system prompt that is none", system: { odd: true } },
  ])("are sent as they came: $why", ({ system }) => {
    const body = {
      model: "m",
      max_tokens: 9,
      system,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    };
    expect(anthropic!.rewrite(body)).toEqual(body);
    expect(anthropic!.readRequest(body).request.system).toBe(
      Array.isArray(system) ? system.map(({ text: line }) => line).join("\n") : undefined,
    );
  });
});

describe("the spelling of an OpenAI request", () => {
  const [, chat, responses] = FORMATS;

  it.each([
    {
      model: "m",
      max_tokens: 5,
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "hi" },
      ],
    },
    { model: "m", messages: [{ role: "user", content: "hi" }], tools: [], n: 2 },
  ])("is kept in Chat: %j", (body) => {
    expect(chat!.rewrite(body)).toEqual(body);
  });

  it("tells if a streamed answer of Chat shows its usage", () => {
    const body = { model: "m", messages: [], stream: true, stream_options: { include_usage: true } };
    expect(chat!.readRequest(body)).toMatchObject({ includesUsage: true, isStreaming: true });
    expect(chat!.readRequest(body).request).not.toHaveProperty("parameters");
  });

  it("keeps what Responses stores and includes, and takes a text as its input", () => {
    const body = { model: "m", input: "hi", include: ["file_search_call.results"] };
    expect(responses!.rewrite(body)).toEqual({
      model: "m",
      store: true,
      include: ["file_search_call.results"],
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
    });
    expect(
      responses!.rewrite({ ...body, store: false, include: ["reasoning.encrypted_content"] }),
    ).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });
});
