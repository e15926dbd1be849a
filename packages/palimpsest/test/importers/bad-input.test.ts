/** Files that are damaged, hostile or simply odd: a clear error or a reported repair, never a crash. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import { type ImportResult, importSessions } from "#importers/registry.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import { AGENT_FILES } from "../../../../test/helpers/agent-samples.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { answer, jsonl, user } from "./claude-code-samples.ts";
import { TRAJECTORY_FILES } from "./trajectory-samples.ts";

/** Every byte in the long suite; in the default one every few, and every one that is special. */
const CUT_STEP = bySize({ usual: 293, long: 7, soak: 1 });

const toolUse = { type: "tool_use", id: "t1", name: "Read", input: { path: "é😀" } };
const toolResult = { type: "tool_result", tool_use_id: "t1", content: "1" };

/** A small file of every format. */
const SMALL: Readonly<Record<string, string>> = {
  "claude-code": jsonl(
    user("u1", null, "hé😀"),
    answer("a1", "u1", [toolUse]),
    user("r1", "a1", [toolResult]),
    {
      type: "system",
      subtype: "compact_boundary",
      uuid: "b",
      parentUuid: null,
      logicalParentUuid: "r1",
      compactMetadata: { trigger: "auto", preTokens: 5 },
    },
    { ...user("s1", "b", "so far"), isCompactSummary: true },
    answer("a2", "s1", [{ type: "text", text: "done" }]),
  ),
  pi: jsonl(
    { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z" },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: "hé😀" } },
    { type: "compaction", id: "b", parentId: "a", summary: "so far", firstKeptEntryId: "a", tokensBefore: 5 },
    {
      type: "message",
      id: "c",
      parentId: "b",
      message: { role: "assistant", content: [{ type: "text", text: "hi" }] },
    },
  ),
  "openai-chat": jsonl(
    { role: "user", content: "hé😀" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "t", content: "1" },
  ),
  "anthropic-messages": JSON.stringify(
    {
      system: "s",
      messages: [
        { role: "user", content: "hé😀" },
        { role: "assistant", content: [toolUse] },
        { role: "user", content: [toolResult] },
      ],
    },
    null,
    1,
  ),
};

/** The import's result, or the code of its error; anything else fails the test. Whatever was read can be rendered. */
function importOrCode(text: string): ImportResult | string {
  try {
    const result = importSessions({ name: "x", text });
    for (const session of result.sessions) {
      const messages = session.items.flatMap((item) => (item.type === "message" ? [item.message] : []));
      JSON.stringify([toAnthropic(messages), toOpenAIChat(messages), toOpenAIResponses(messages), session]);
    }
    return result;
  } catch (error) {
    if (error instanceof PalimpsestError) return error.code;
    throw error;
  }
}

function imported(text: string): ImportResult {
  const result = importOrCode(text);
  if (typeof result === "string") expect.fail(result);
  return result as ImportResult;
}

const FILES = [
  ...Object.entries(SMALL).map(([format, text]) => ({
    format,
    what: "a session",
    isDocument: format === "anthropic-messages",
    text,
  })),
  ...AGENT_FILES,
  ...TRAJECTORY_FILES,
];

describe.each(FILES)("a $format file ($what)", ({ format, isDocument, text: whole }) => {
  it("cut at any byte is an error with a code, or is read up to there with the damage reported", () => {
    const bytes = Buffer.from(whole, "utf8");
    const full = imported(whole);
    expect([full.format, full.repairs.length]).toEqual([format, 0]);
    for (let length = 0; length < bytes.length; length++) {
      if (length % CUT_STEP !== 0 && !isSpecial(bytes, length)) continue;
      const text = bytes.subarray(0, length).toString("utf8");
      const result = importOrCode(text);
      if (typeof result === "string") {
        expect(["INPUT_EMPTY", "INPUT_UNREADABLE", "FORMAT_UNKNOWN", "NO_MESSAGES"]).toContain(result);
        if (!isDocument) continue;
        expect(result).toBe(length === 0 ? "INPUT_EMPTY" : "INPUT_UNREADABLE");
        continue;
      }
      const isTorn = !whole.startsWith(`${text}\n`) && !text.endsWith("\n");
      expect(result.repairs.map(({ kind }) => kind)).toEqual(isTorn ? ["torn-tail"] : []);
    }
  });

  it("with any byte replaced is an error with a code, or is read", () => {
    fc.assert(
      fc.property(fc.nat(Buffer.byteLength(whole) - 1), fc.nat(255), (index, value) => {
        const bytes = Buffer.from(whole, "utf8");
        bytes[index] = value;
        importOrCode(bytes.toString("utf8"));
      }),
      { numRuns: bySize({ usual: 10, long: 40, soak: 100 }) },
    );
  });

  it("with any value replaced by another is an error with a code, or is read", () => {
    const odd = fc.constantFrom<unknown>(
      null,
      5,
      "",
      "x",
      [],
      {},
      [null],
      [[]],
      [{ type: "text" }],
      [{ type: 7 }],
      true,
      -1e308,
    );
    const records = isDocument
      ? [JSON.parse(whole) as unknown]
      : whole.split("\n").map((line) => JSON.parse(line) as unknown);
    const paths = pathsIn(records);
    fc.assert(
      fc.property(fc.constantFrom(...paths), odd, (path, value) => {
        importOrCode(jsonl(...(withValue(records, path, value) as readonly unknown[])));
      }),
      { numRuns: bySize({ usual: 12, long: 250, soak: 1_000 }) },
    );
  });
});

describe("odd lines", () => {
  const first = JSON.stringify(user("u1", null, "hello"));
  const last = JSON.stringify(user("u2", "u1", "bye"));

  it.each([
    { line: "null", kind: "not-an-object", why: "no object" },
    { line: "5", kind: "not-an-object", why: "no object" },
    { line: "[]", kind: "not-an-object", why: "no object" },
    { line: '"text"', kind: "not-an-object", why: "no object" },
    { line: "{broken", kind: "bad-json", why: "no JSON" },
    { line: "\0\0\0\0", kind: "bad-json", why: "zeros where a crash left a hole" },
    {
      line: `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      kind: "too-deep",
      why: "nested too deep to be walked",
    },
    {
      line: `{"a":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
      kind: "too-deep",
      why: "the same with objects",
    },
    { line: '{"type":"brand-new","uuid":"x"}', kind: "unknown-record", why: "a type of the future" },
    { line: "{}", kind: "unknown-record", why: "no type at all" },
    {
      line: '{"type":"user","uuid":"x","parentUuid":"u1","message":null}',
      kind: "bad-record",
      why: "a message that is null",
    },
    {
      line: '{"type":"user","uuid":"x","parentUuid":"u1","message":{"role":"user","content":[]}}',
      kind: "empty-message",
      why: "a message without content",
    },
  ])("are left out and reported as $kind: $why", ({ line, kind }) => {
    const { repairs, sessions } = imported(`${first}\n${line}\n${last}\n`);
    expect(repairs.map((repair) => repair.kind)).toContain(kind);
    expect(repairs.find((repair) => repair.kind === kind)?.line).toBe(2);
    const messages = sessions[0]!.items.filter((item) => item.type === "message");
    expect(messages).toHaveLength(2);
  });

  it.each([
    { why: "at the start, too", text: `null\n5\n[]\n${first}\n` },
    { why: "with blank lines between", text: `\n\n  \n${first}\n\n\n` },
  ])("do not hide the session: $why", ({ text }) => {
    expect(imported(text).format).toBe("claude-code");
  });

  it("are listed up to a limit and then counted", () => {
    const { repairs } = imported(`${first}\n${"{broken\n".repeat(5_000)}${last}\n`);
    expect(repairs).toHaveLength(101);
    expect(repairs.at(-1)).toEqual({ kind: "bad-json", detail: "and 4900 more of this kind" });
  });

  it("with lone surrogates keep them in the log; a request never holds one", () => {
    const { sessions } = imported(
      `${first}\n{"type":"user","uuid":"x","parentUuid":"u1","message":{"role":"user","content":"half \\ud83d here"}}`,
    );
    const item = sessions[0]!.items[1]!;
    expect(item.type === "message" && item.message.content).toEqual([
      { type: "text", text: "half \ud83d here" },
    ]);
    const messages = item.type === "message" ? [item.message] : [];
    expect(toAnthropic(messages)[0]?.content).toEqual([{ type: "text", text: "half \ufffd here" }]);
  });

  it("with line separators inside strings are one line", () => {
    const { sessions, repairs } = imported(
      `${first}\n${JSON.stringify(user("u2", "u1", "a\u2028b\u2029c"))}`,
    );
    expect(repairs).toEqual([]);
    expect(sessions[0]!.items[1]).toMatchObject({ message: { content: [{ text: "a\u2028b\u2029c" }] } });
  });

  it("with keys like __proto__ change nothing but themselves", () => {
    const call =
      '{"type":"tool_use","id":"t","name":"f","input":{"__proto__":{"polluted":true},"constructor":1}}';
    const { sessions } = imported(
      `${first}\n{"type":"assistant","uuid":"x","parentUuid":"u1","__proto__":{"isSidechain":true},"message":{"id":"m","content":[${call}]}}\n{"type":"__proto__"}\n{"type":"constructor"}`,
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const messages = sessions[0]!.items.flatMap((item) => (item.type === "message" ? [item.message] : []));
    expect(JSON.stringify(toAnthropic(messages)[1]?.content)).toBe(`[${call}]`);
  });
});

/** A cut by a line break or through a character of several bytes. */
function isSpecial(bytes: Uint8Array, length: number): boolean {
  return [length - 1, length].some((at) => bytes[at] === 0x0a || (bytes[at] ?? 0) >= 0x80);
}

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const children = Object.entries(value).flatMap(([key, item]) =>
    pathsIn(item, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? children : [at, ...children];
}

function withValue(target: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(target) ? [...target] : { ...(target as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}
