/** Texts and thinking of a conversation that no provider takes as they are. */
import { assistant } from "#test/helpers/histories.ts";
import { blockKind, blocksOf, extraKind, inserted } from "./conversation-kind.ts";
import { conversationKind, type Fields, type Kind } from "./kind.ts";
import { thinking } from "./sound-session.ts";

const UNSIGNED = { quiet: "thinking without a signature is never sent back; it stays in the history" };
const FOREIGN = { quiet: "only the provider that made it gets it; it stays in the history" };
const LONE = "\ud83d";

const TEXT_KINDS: readonly Kind[] = [
  blockKind("empty-text", "an answer is an empty text", ["markfound", 0], { text: "" }),
  blockKind("whitespace-text", "an answer is white space", ["markfound", 0], { text: " \n\t\u3000" }),
  blockKind(
    "zero-width-text",
    "an answer is a zero-width space",
    ["markfound", 0],
    { text: "\u200b" },
    { quiet: "providers accept it" },
  ),
  blockKind("empty-question", "a question is an empty text", ["marklast", 0], { text: "" }),
  extraKind("empty-text-beside-a-call", "an empty text stands beside a call", "markplan", {
    type: "text",
    text: "",
  }),
  blockKind(
    "lone-surrogate-in-an-answer",
    "an answer was cut in the middle of a character",
    ["markfound", 0],
    { text: `markfound ${LONE}` },
  ),
  blockKind("lone-low-surrogate-in-a-question", "a question begins with half a character", ["marklast", 0], {
    text: "\ude00 marklast",
  }),
  blockKind("lone-surrogate-in-arguments", "the arguments of a call hold half a character", ["markplan", 2], {
    input: { file_path: `markpath${LONE}` },
  }),
  blockKind("lone-surrogate-in-a-tool-name", "the name of a tool holds half a character", ["markplan", 2], {
    name: `Read${LONE}`,
  }),
  blockKind("lone-surrogate-in-a-result", "a result was cut in the middle of a character", ["markfile", 0], {
    content: `markfile ${LONE}`,
  }),
  blockKind("lone-surrogate-in-thinking", "signed thinking holds half a character", ["markthought", 0], {
    thinking: `markthought ${LONE}`,
  }),
  conversationKind("lone-surrogate-in-an-id", "the id of a call holds half a character", (messages) => {
    blocksOf(messages, "markplan")[2]!["id"] = `c${LONE}`;
    blocksOf(messages, "markfile")[0]!["tool_use_id"] = `c${LONE}`;
  }),
  blockKind(
    "nul-in-a-text",
    "an answer holds a NUL",
    ["markfound", 0],
    { text: "markfound \u0000" },
    { quiet: "JSON can hold it" },
  ),
  blockKind(
    "non-characters",
    "an answer holds U+FFFE and U+FFFF",
    ["markfound", 0],
    { text: "markfound \ufffe\uffff" },
    { quiet: "JSON can hold them" },
  ),
  blockKind(
    "line-separators",
    "an answer holds U+2028, U+2029 and U+0085",
    ["markfound", 0],
    { text: "markfound \u2028\u2029\u0085" },
    { quiet: "only a line feed ends a line of the log" },
  ),
  blockKind(
    "trailing-white-space",
    "the last answer ends in white space",
    ["markdone", 0],
    { text: "markdone  \n" },
    { quiet: "it is not the last block" },
  ),
  blockKind("one-megabyte-of-text", "a question has a million characters", ["marklast", 0], {
    text: `marklast ${"many words ".repeat(91_000)}`,
  }),
  blockKind(
    "combining-marks",
    "a text is a letter with 100,000 marks on it",
    ["markfound", 0],
    { text: `markfound e${"\u0301".repeat(100_000)}` },
    { quiet: "it is a text like any other" },
  ),
  blockKind("empty-result", "a result is empty", ["markfile", 0], { content: "" }),
  blockKind("white-space-result", "a result is white space", ["markfile", 0], { content: " \n" }),
  conversationKind(
    "result-without-content",
    "a result has no content",
    (messages) => void delete blocksOf(messages, "markfile")[0]!["content"],
  ),
  blockKind("failed-result-without-content", "a failed result is empty", ["markfile", 0], {
    content: [],
    is_error: true,
  }),
  blockKind("result-with-an-empty-part", "a part of a result is an empty text", ["markfile", 0], {
    content: [
      { type: "text", text: "" },
      { type: "text", text: "markfile" },
    ],
  }),
  conversationKind(
    "empty-message",
    "a message says nothing",
    inserted("markagain", { role: "user", content: [] }),
    { quiet: "there is nothing to show" },
  ),
];

const THINKING_KINDS: readonly Kind[] = [
  conversationKind(
    "thinking-without-signature",
    "thinking has no signature",
    (messages) => void delete blocksOf(messages, "markthought")[0]!["signature"],
    UNSIGNED,
  ),
  blockKind(
    "thinking-with-empty-signature",
    "the signature of thinking is empty",
    ["markthought", 0],
    { signature: "" },
    UNSIGNED,
  ),
  blockKind(
    "thinking-with-broken-signature",
    "the signature of thinking holds half a character",
    ["markthought", 0],
    { signature: LONE },
  ),
  blockKind(
    "empty-thinking",
    "thinking is empty, with a signature",
    ["markthought", 0],
    { thinking: "" },
    { quiet: "providers send and accept it" },
  ),
  blockKind(
    "redacted-thinking-that-is-empty",
    "redacted thinking holds nothing",
    ["markthought", 0],
    { type: "redacted_thinking", data: "" },
    { costs: ["markthought"] },
  ),
  extraKind("thinking-in-a-question", "thinking stands in a user's message", "marklast", thinking("stray")),
  extraKind(
    "thinking-in-a-system-message",
    "thinking stands in a system message",
    "markreminder",
    thinking("stray"),
  ),
  conversationKind(
    "thinking-alone",
    "an answer is nothing but thinking",
    inserted("marklast", assistant("rx", thinking("alone"))),
    {
      quiet: "an answer that only thought is not sent; it stays in the history",
    },
  ),
  conversationKind(
    "thinking-last",
    "an answer ends in thinking",
    (messages) => void blocksOf(messages, "markfound").push(thinking("after") as unknown as Fields),
    {
      quiet: "thinking at the end of an answer is not sent; it stays in the history",
    },
  ),
  extraKind(
    "reasoning-of-another-provider",
    "an encrypted reasoning item of OpenAI stands in it",
    "markfound",
    {
      type: "opaque",
      provider: "openai-responses",
      value: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
    },
    FOREIGN,
  ),
  extraKind(
    "parts-of-gemini",
    "a thought of Gemini stands in it",
    "markfound",
    { type: "opaque", provider: "gemini", value: { thought: true, text: "x" } },
    FOREIGN,
  ),
  extraKind(
    "refusal-of-openai",
    "a refusal of OpenAI stands in it",
    "markfound",
    { type: "opaque", provider: "openai-chat", value: { type: "refusal", refusal: "no" } },
    FOREIGN,
  ),
  extraKind(
    "unsigned-summary-in-the-middle",
    "a provider's summary stands in the middle",
    "markfound",
    { type: "compaction", content: "a summary" },
    FOREIGN,
  ),
  extraKind(
    "signed-summary-in-the-middle",
    "a signed summary of a provider stands in the middle",
    "markfound",
    { type: "compaction", content: "a summary", signature: "c2ln" },
    FOREIGN,
  ),
  extraKind("summary-in-a-question", "a provider's summary stands in a user's message", "marklast", {
    type: "compaction",
    content: "a summary",
  }),
];

export const TEXT_AND_THINKING_KINDS: readonly Kind[] = [...TEXT_KINDS, ...THINKING_KINDS];
