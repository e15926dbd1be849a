/** Damage inside the content of stored messages: unknown, incomplete and misplaced blocks. */
import { blocksKind, contentOf, entriesKind, type Fields, type Kind, messageWith } from "./kind.ts";

const FOUND = { costs: ["markfound"] };
const PLAN = { costs: ["markplan", "markpath", "markthought"] };
const PATH = { costs: ["markpath"] };
const FILE = { costs: ["markfile"] };

const SPELLED = { quiet: "it is spelled as the provider expects" };
const EXPECTED = { quiet: "it is sent as text" };
const LEFT_OUT = { quiet: "only its provider gets it, if it fits the rest of the message" };

/** Sets fields of the block that stands at `index`. */
const set =
  (index: number, fields: Fields) =>
  (content: Fields[]): void => {
    Object.assign(content[index]!, fields);
  };

const cut =
  (index: number, field: string) =>
  (content: Fields[]): void => {
    delete content[index]![field];
  };

const replaced =
  (index: number, block: unknown) =>
  (content: Fields[]): void => {
    content[index] = block as Fields;
  };

const added =
  (block: unknown) =>
  (content: Fields[]): void => {
    content.push(block as Fields);
  };

const SVG = { type: "base64", media_type: "image/svg+xml", data: "PHN2Zy8+" };
const LONE = "\ud83d";

export const BLOCK_KINDS: readonly Kind[] = [
  blocksKind(
    "first-message-of-an-unknown-block",
    "the first message is one block of a type that nobody knows",
    "markquestion",
    replaced(0, { type: "hologram" }),
    { costs: ["markquestion"] },
  ),
  blocksKind(
    "last-message-of-an-unknown-block",
    "the last message is one block of a type that nobody knows",
    "marklast",
    replaced(0, { type: "hologram" }),
    { costs: ["marklast"] },
  ),
  blocksKind(
    "unknown-block-type",
    "a block of a type that nobody knows stands in an answer",
    "markfound",
    added({ type: "hologram", beam: [1] }),
  ),
  blocksKind(
    "unknown-block-alone",
    "an answer is one block of a type that nobody knows",
    "markfound",
    replaced(0, { type: "hologram" }),
    FOUND,
  ),
  blocksKind(
    "unknown-block-in-a-question",
    "a block of a type that nobody knows stands in a user's message",
    "marklast",
    added({ type: "hologram" }),
  ),
  blocksKind(
    "unknown-block-of-anthropic",
    "an opaque block of Anthropic is of a type that nobody knows",
    "markfound",
    added({ type: "opaque", provider: "anthropic", value: { type: "hologram" } }),
  ),
  blocksKind(
    "opaque-block-without-type",
    "an opaque block of Anthropic has no type",
    "markfound",
    added({ type: "opaque", provider: "anthropic", value: { beam: 1 } }),
  ),
  blocksKind(
    "opaque-text-that-is-empty",
    "an opaque block of Anthropic is an empty text",
    "markfound",
    added({ type: "opaque", provider: "anthropic", value: { type: "text", text: "" } }),
  ),
  blocksKind(
    "opaque-call",
    "an opaque block of Anthropic is a tool call that nobody answers",
    "markfound",
    added({
      type: "opaque",
      provider: "anthropic",
      value: { type: "tool_use", id: "c99", name: "Read", input: {} },
    }),
  ),
  blocksKind(
    "unknown-item-of-openai",
    "an opaque item of OpenAI is of a type that nobody knows",
    "markfound",
    added({ type: "opaque", provider: "openai-responses", value: { type: "hologram" } }),
  ),
  blocksKind(
    "reasoning-without-summary",
    "a reasoning item of OpenAI has no summary",
    "markfound",
    (content) => {
      content.unshift({
        type: "opaque",
        provider: "openai-responses",
        value: { type: "reasoning", id: "rs_1" },
      });
    },
  ),
  blocksKind(
    "reasoning-with-a-foreign-id",
    "a reasoning item of OpenAI has the id of something else",
    "markfound",
    (content) => {
      content.unshift({
        type: "opaque",
        provider: "openai-responses",
        value: { type: "reasoning", id: "msg_1", summary: [] },
      });
    },
    LEFT_OUT,
  ),
  blocksKind(
    "opaque-output",
    "an opaque item of OpenAI answers a call that is not there",
    "markfound",
    added({
      type: "opaque",
      provider: "openai-responses",
      value: { type: "function_call_output", call_id: "c98", output: "x" },
    }),
    LEFT_OUT,
  ),
  blocksKind(
    "opaque-of-no-provider",
    "an opaque block belongs to a provider that nobody knows",
    "markfound",
    added({ type: "opaque", provider: "", value: 0 }),
  ),
  blocksKind(
    "opaque-without-value",
    "an opaque block holds nothing",
    "markfound",
    added({ type: "opaque", provider: "anthropic" }),
  ),
  blocksKind("block-without-type", "a block has no type", "markfound", cut(0, "type")),
  blocksKind("block-is-null", "a block is `null`", "markfound", added(null)),
  blocksKind("block-is-text", "a block is a string", "markfound", replaced(0, "markfound")),
  blocksKind("block-is-a-number", "a block is a number", "markfound", added(7)),
  blocksKind("block-is-a-list", "a block is a list", "markfound", added([{ type: "text", text: "x" }])),
  blocksKind("text-is-null", "the text of a block is `null`", "markfound", set(0, { text: null }), FOUND),
  blocksKind("text-is-a-number", "the text of a block is a number", "markfound", set(0, { text: 7 }), FOUND),
  blocksKind("text-is-missing", "a text block has no text", "markfound", cut(0, "text"), FOUND),
  blocksKind(
    "lone-surrogate-in-a-key",
    "half a character is a key of a call's arguments",
    "markplan",
    set(2, { input: { [LONE]: "markpath" } }),
  ),
  blocksKind("call-without-input", "a call has no arguments", "markplan", cut(2, "input"), PATH),
  blocksKind(
    "call-with-null-input",
    "the arguments of a call are `null`",
    "markplan",
    set(2, { input: null }),
    { ...PATH, ...SPELLED },
  ),
  blocksKind(
    "call-with-text-input",
    "the arguments of a call are half a text",
    "markplan",
    set(2, { input: '{"file_path":"markpath' }),
    SPELLED,
  ),
  blocksKind(
    "call-with-list-input",
    "the arguments of a call are a list",
    "markplan",
    set(2, { input: ["markpath"] }),
    SPELLED,
  ),
  blocksKind("call-without-id", "a call has no id", "markplan", cut(2, "id")),
  blocksKind("call-with-number-id", "the id of a call is a number", "markplan", set(2, { id: 1 })),
  blocksKind("call-with-empty-id", "the id of a call is empty", "markplan", set(2, { id: "" })),
  blocksKind("call-without-name", "a call names no tool", "markplan", cut(2, "name")),
  blocksKind(
    "call-with-empty-name",
    "the tool of a call has an empty name",
    "markplan",
    set(2, { name: "" }),
    SPELLED,
  ),
  blocksKind(
    "call-with-number-name",
    "the tool of a call has a number for its name",
    "markplan",
    set(2, { name: 5 }),
  ),
  deepKind("call-with-deep-input", "the arguments of a call are nested 5,000 levels deep", 5_000),
  deepKind("call-with-bottomless-input", "the arguments of a call are nested 100,000 levels deep", 100_000),
  blocksKind("result-without-id", "a result names no call", "markfile", cut(0, "tool_use_id")),
  blocksKind(
    "result-with-number-id",
    "a result names its call by a number",
    "markfile",
    set(0, { tool_use_id: 1 }),
  ),
  blocksKind(
    "result-of-null",
    "the content of a result is `null`",
    "markfile",
    set(0, { content: null }),
    FILE,
  ),
  blocksKind(
    "result-of-a-number",
    "the content of a result is a number",
    "markfile",
    set(0, { content: 5 }),
    FILE,
  ),
  blocksKind(
    "result-of-an-object",
    "the content of a result is an object",
    "markfile",
    set(0, { content: { text: "markfile" } }),
  ),
  blocksKind(
    "result-of-null-parts",
    "the content of a result is a list of `null`",
    "markfile",
    set(0, { content: [null] }),
    FILE,
  ),
  blocksKind(
    "result-of-unknown-parts",
    "a part of a result is of a type that nobody knows",
    "markfile",
    set(0, { content: [{ type: "text", text: "markfile" }, { type: "hologram" }] }),
    EXPECTED,
  ),
  blocksKind(
    "result-of-a-call-part",
    "a part of a result is a tool call",
    "markfile",
    set(0, {
      content: [
        { type: "tool_use", id: "c97", name: "Read", input: {} },
        { type: "text", text: "markfile" },
      ],
    }),
    EXPECTED,
  ),
  blocksKind(
    "result-of-text-parts-without-text",
    "a text part of a result has no text",
    "markfile",
    set(0, { content: [{ type: "text" }] }),
    FILE,
  ),
  blocksKind("result-of-nothing", "a result holds an empty list", "markfile", set(0, { content: [] }), FILE),
  blocksKind(
    "result-with-broken-image",
    "the image in a result has no source",
    "markfile",
    set(0, { content: [{ type: "image" }, { type: "text", text: "markfile" }] }),
  ),
  blocksKind(
    "failed-result-with-image",
    "a failed result is an image",
    "markfile",
    set(0, { is_error: true, content: [{ type: "image", source: SVG }] }),
    FILE,
  ),
  blocksKind(
    "error-flag-is-a-word",
    "the flag of a result is a word",
    "markfile",
    set(0, { is_error: "yes" }),
  ),
  blocksKind("error-flag-is-null", "the flag of a result is `null`", "markfile", set(0, { is_error: null })),
  blocksKind("thinking-without-text", "a thinking block has no text", "markthought", cut(0, "thinking"), {
    costs: ["markthought"],
  }),
  blocksKind(
    "thinking-with-number-signature",
    "the signature of thinking is a number",
    "markthought",
    set(0, { signature: 5 }),
  ),
  blocksKind(
    "redacted-thinking-without-data",
    "redacted thinking holds nothing",
    "markthought",
    replaced(0, { type: "redacted_thinking" }),
    { costs: ["markthought"] },
  ),
  blocksKind("image-without-source", "an image has no source", "markpicture", replaced(1, { type: "image" })),
  blocksKind(
    "image-source-is-text",
    "the source of an image is a string",
    "markpicture",
    replaced(1, { type: "image", source: "a.png" }),
  ),
  blocksKind(
    "blob-block-without-hash",
    "a block beside the log has no name",
    "markpicture",
    set(1, { blob: { bytes: 5 } }),
  ),
  blocksKind(
    "blob-block-with-bad-hash",
    "a block beside the log has a path for its name",
    "markpicture",
    set(1, { blob: { hash: "../../etc/passwd", bytes: 5 } }),
  ),
  blocksKind(
    "blob-block-without-preview",
    "a block beside the log says nothing in its place",
    "markpicture",
    cut(1, "shown"),
  ),
  blocksKind("blob-block-in-itself", "a block beside the log stands for itself", "markpicture", (content) => {
    content[1]!["shown"] = { ...content[1] };
  }),
  blocksKind(
    "blob-block-with-unknown-view",
    "a block beside the log is to be shown in a way that nobody knows",
    "markpicture",
    set(1, { view: "hologram" }),
  ),
  blocksKind(
    "same-block-1000-times",
    "a message repeats its call a thousand times",
    "markplan",
    (content) => {
      content.push(...Array.from({ length: 1_000 }, () => ({ ...content[2] })));
    },
  ),
  entriesKind(
    "every-message-gets-an-unknown-block",
    "every message holds a block that nobody knows",
    (entries) => {
      for (const entry of entries)
        if (entry["type"] === "message") contentOf(entry).push({ type: "hologram" });
    },
    { level: "blocks" },
  ),
  entriesKind(
    "every-block-is-unknown",
    "every block is of a type that nobody knows",
    (entries) => {
      for (const entry of entries)
        if (entry["type"] === "message")
          for (const block of contentOf(entry)) block["type"] = `x-${String(block["type"])}`;
    },
    { level: "blocks" },
  ),
];

function deepKind(name: string, what: string, levels: number): Kind {
  const deepen = (entries: Fields[]): readonly (Fields | string)[] => {
    const message = messageWith(entries, "markplan");
    return entries.map((entry) => (entry === message ? withDeepInput(entry, levels) : entry));
  };
  return entriesKind(name, what, deepen, { level: "blocks", ...PLAN });
}

/** Deeper than `JSON.stringify` can go, so it is written as text. */
function withDeepInput(entry: Fields, levels: number): string {
  const content = contentOf(entry).map((block) =>
    block["type"] === "tool_use" ? { ...block, input: "@deep" } : block,
  );
  const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
  return JSON.stringify({ ...entry, content }).replace('"@deep"', () => deep);
}
