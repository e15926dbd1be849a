/**
 * Random histories for property tests, with the damage that real ones have.
 *
 * A history is a list of steps as plain data, so that a failing one shrinks and prints well. Steps
 * that need something that is there (an earlier entry, an open call) choose it by `pick`, resolved
 * against the state at that moment by the test that runs the history. Needs `fast-check` 4 beside this package.
 */
import fc from "fast-check";
import type { ContentBlock, Message } from "palimpsest";

/** One thing that happens to a session. `pick` and `span` choose among what is there, modulo its number. */
export type HistoryStep =
  | { readonly do: "append"; readonly message: Message }
  | { readonly do: "call" }
  | { readonly do: "hide"; readonly pick: number; readonly span: number; readonly summary: string }
  | { readonly do: "reshape"; readonly pick: number; readonly isRemoved: boolean }
  | { readonly do: "pin"; readonly pick: number }
  | { readonly do: "undo"; readonly pick: number }
  | { readonly do: "rewind"; readonly pick: number }
  | { readonly do: "reopen" };

/** Few ids, so that calls and results meet, miss each other and repeat. */
const callId = fc.constantFrom("c1", "c2", "c3", "c4", "c5", "c6");
const responseId = fc.constantFrom("r1", "r2", "r3", "r4", "r5");
const toolName = fc.constantFrom("Read", "Bash", "Grep", "Agent", "mcp__db__query", "Edit");

/** Text as it occurs and as it should not: empty, blank, half characters, many scripts, long lines. */
export function anyText(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.lorem({ maxCount: 12 }) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "",
        " ",
        "\n",
        "a\ud800b",
        "\udc00",
        "漢字かな交じり文",
        "🙂👩‍👩‍👧",
        "x".repeat(3000),
      ),
    },
  );
}

function userBlock(): fc.Arbitrary<ContentBlock> {
  return fc.oneof(
    { weight: 4, arbitrary: anyText().map((text): ContentBlock => ({ type: "text", text })) },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant("tool_result" as const),
        tool_use_id: callId,
        content: anyText(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constant<ContentBlock>({
        type: "image",
        source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
      }),
    },
  );
}

function assistantBlock(): fc.Arbitrary<ContentBlock> {
  return fc.oneof(
    { weight: 3, arbitrary: anyText().map((text): ContentBlock => ({ type: "text", text })) },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant("tool_use" as const),
        id: callId,
        name: toolName,
        input: fc.dictionary(fc.constantFrom("file_path", "command", "pattern"), anyText(), { maxKeys: 2 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("thinking" as const),
        thinking: anyText(),
        signature: fc.constant("c2lnbmF0dXJl"),
      }),
    },
  );
}

/** Any message of any role, valid or not. */
export function anyMessage(): fc.Arbitrary<Message> {
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        role: fc.constant("user" as const),
        content: fc.array(userBlock(), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        role: fc.constant("assistant" as const),
        responseId,
        content: fc.array(assistantBlock(), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        role: fc.constant("system" as const),
        content: anyText().map((text): readonly ContentBlock[] => [{ type: "text", text }]),
      }),
    },
  );
}

/** A call with its result, whole: what most of a real history is made of. */
function exchange(): fc.Arbitrary<readonly HistoryStep[]> {
  return fc.record({ id: fc.nat(999_999), name: toolName, output: anyText() }).map(({ id, name, output }) => {
    const tool_use_id = `toolu_${id}`;
    const call: ContentBlock = {
      type: "tool_use",
      id: tool_use_id,
      name,
      input: { file_path: `/src/${id}.ts` },
    };
    const result: ContentBlock = { type: "tool_result", tool_use_id, content: output };
    return [
      { do: "call" },
      { do: "append", message: { role: "assistant", responseId: `resp_${id}`, content: [call] } },
      { do: "append", message: { role: "user", content: [result] } },
    ];
  });
}

const natural = fc.nat(1000);

function step(): fc.Arbitrary<readonly HistoryStep[]> {
  const one = (arbitrary: fc.Arbitrary<HistoryStep>): fc.Arbitrary<readonly HistoryStep[]> =>
    arbitrary.map((value) => [value]);
  return fc.oneof(
    { weight: 8, arbitrary: exchange() },
    { weight: 6, arbitrary: one(fc.record({ do: fc.constant("append" as const), message: anyMessage() })) },
    { weight: 4, arbitrary: one(fc.constant({ do: "call" })) },
    {
      weight: 2,
      arbitrary: one(
        fc.record({
          do: fc.constant("hide" as const),
          pick: natural,
          span: natural,
          summary: fc.lorem({ maxCount: 5 }),
        }),
      ),
    },
    {
      weight: 2,
      arbitrary: one(
        fc.record({ do: fc.constant("reshape" as const), pick: natural, isRemoved: fc.boolean() }),
      ),
    },
    { weight: 1, arbitrary: one(fc.record({ do: fc.constant("pin" as const), pick: natural })) },
    { weight: 2, arbitrary: one(fc.record({ do: fc.constant("undo" as const), pick: natural })) },
    { weight: 1, arbitrary: one(fc.record({ do: fc.constant("rewind" as const), pick: natural })) },
    { weight: 1, arbitrary: one(fc.constant({ do: "reopen" })) },
  );
}

/** A history of about `maxSteps` steps. */
export function history({
  maxSteps = 40,
}: {
  readonly maxSteps?: number;
} = {}): fc.Arbitrary<readonly HistoryStep[]> {
  return fc.array(step(), { minLength: 1, maxLength: maxSteps }).map((steps) => steps.flat());
}
