/** The provider's own tools, media, and fields of a conversation's blocks. */
import { assistant, result } from "#test/helpers/histories.ts";
import { at, blockKind, blocksOf, extraKind, inserted, RENDERED } from "./conversation-kind.ts";
import { conversationKind, type Fields, type Kind } from "./kind.ts";

const image = (media_type: string, data: string): Fields => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
const serverUse = (id: string): Fields => ({
  type: "server_tool_use",
  id,
  name: "web_search",
  input: { query: "x" },
});
const serverResult = (id: string): Fields => ({
  type: "web_search_tool_result",
  tool_use_id: id,
  content: [],
});
const NO_IMAGES = {
  quiet: "answers cannot hold media: they are named, or left out; they stay in the history",
};
const PNG = "image/png";

const SERVER_TOOL_KINDS: readonly Kind[] = [
  extraKind(
    "server-call-without-result",
    "a call of the provider's own tool has no result",
    "markfound",
    serverUse("srvtoolu_1"),
  ),
  extraKind(
    "server-result-without-call",
    "a result of the provider's own tool has no call",
    "markfound",
    serverResult("srvtoolu_2"),
  ),
  conversationKind(
    "server-pair-over-two-answers",
    "call and result of the provider's own tool stand in two answers",
    (messages) => {
      blocksOf(messages, "markfound").push(serverUse("srvtoolu_3"));
      blocksOf(messages, "markend").unshift(serverResult("srvtoolu_3"));
    },
  ),
  conversationKind(
    "server-result-before-its-call",
    "the result of the provider's own tool stands before the call",
    (messages) => {
      blocksOf(messages, "markfound").unshift(serverResult("srvtoolu_4"), serverUse("srvtoolu_4"));
    },
  ),
  extraKind(
    "server-call-in-a-question",
    "a call of the provider's own tool stands in a user's message",
    "marklast",
    serverUse("srvtoolu_5"),
  ),
  extraKind(
    "server-result-in-a-question",
    "a result of the provider's own tool stands in a user's message",
    "marklast",
    serverResult("srvtoolu_6"),
  ),
  conversationKind(
    "server-call-with-a-foreign-id",
    "a call of the provider's own tool has an id that no provider gives",
    (messages) => {
      blocksOf(messages, "markfound").unshift(serverUse("toolu 7"), serverResult("toolu 7"));
    },
    { quiet: "a pair that its provider would refuse is not sent; it stays in the history" },
  ),
  conversationKind(
    "server-call-with-a-taken-id",
    "a call of the provider's own tool uses an id twice",
    (messages) => {
      blocksOf(messages, "markfound").unshift(serverUse("srvtoolu_8"), serverResult("srvtoolu_8"));
      blocksOf(messages, "markend").unshift(serverUse("srvtoolu_8"), serverResult("srvtoolu_8"));
    },
  ),
  conversationKind("server-result-twice", "the provider's own tool answered twice", (messages) => {
    blocksOf(messages, "markfound").unshift(
      serverUse("srvtoolu_9"),
      serverResult("srvtoolu_9"),
      serverResult("srvtoolu_9"),
    );
  }),
  conversationKind(
    "server-result-of-a-host-call",
    "the provider answers a call of the host",
    (messages) => void blocksOf(messages, "markplan").push(serverResult("c1")),
  ),
  conversationKind(
    "host-result-of-a-server-call",
    "the host answers a call of the provider's own tool",
    (messages) => {
      blocksOf(messages, "markfound").unshift(serverUse("srvtoolu_10"));
      blocksOf(messages, "markpicture").unshift(result("srvtoolu_10") as unknown as Fields);
    },
  ),
  extraKind("mcp-call-without-result", "a call of a remote MCP tool has no result", "markfound", {
    type: "mcp_tool_use",
    id: "mcptoolu_1",
    name: "x",
    server_name: "s",
    input: {},
  }),
  conversationKind(
    "mcp-call-without-server",
    "a call of a remote MCP tool names no server",
    (messages) => {
      blocksOf(messages, "markfound").unshift(
        { type: "mcp_tool_use", id: "mcptoolu_2", name: "x", input: {} },
        { type: "mcp_tool_result", tool_use_id: "mcptoolu_2", content: [], is_error: false },
      );
    },
    RENDERED,
  ),
  extraKind("server-call-without-name", "a call of the provider's own tool names no tool", "markfound", {
    ...serverUse("srvtoolu_11"),
    name: "",
  }),
  conversationKind(
    "server-result-without-content",
    "a result of the provider's own tool has no content",
    (messages) => {
      blocksOf(messages, "markfound").unshift(serverUse("srvtoolu_12"), {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_12",
      });
    },
    RENDERED,
  ),
];

const MEDIA_KINDS: readonly Kind[] = [
  blockKind("svg-image", "an image is an SVG", ["markpicture", 1], image("image/svg+xml", "PHN2Zy8+")),
  blockKind("zero-byte-image", "an image has no bytes", ["markpicture", 1], image(PNG, "")),
  blockKind(
    "image-that-is-no-base64",
    "the bytes of an image are no base64",
    ["markpicture", 1],
    image(PNG, "not base64!"),
  ),
  blockKind(
    "image-with-a-data-url",
    "the bytes of an image are a data URL",
    ["markpicture", 1],
    image(PNG, "data:image/png;base64,aaaa"),
  ),
  blockKind(
    "image-of-an-unknown-type",
    "an image is a recording",
    ["markpicture", 1],
    image("audio/wav", "aaaa"),
  ),
  blockKind("image-without-media-type", "an image does not say of which type it is", ["markpicture", 1], {
    source: { type: "base64", data: "aaaa" },
  }),
  blockKind("image-from-an-empty-url", "an image has an empty address", ["markpicture", 1], {
    source: { type: "url", url: "" },
  }),
  blockKind("image-from-nowhere", "the source of an image is empty", ["markpicture", 1], { source: {} }),
  blockKind(
    "image-from-an-unknown-source",
    "the source of an image is of a type that nobody knows",
    ["markpicture", 1],
    { source: { type: "hologram", beam: 1 } },
  ),
  blockKind(
    "image-with-unknown-fields",
    "the source of an image has fields that nobody knows",
    ["markpicture", 1],
    { source: { type: "base64", media_type: PNG, data: "aaaa", mood: "blue" } },
    RENDERED,
  ),
  blockKind(
    "giant-image",
    "an image has six million characters",
    ["markpicture", 1],
    image(PNG, "a".repeat(6_000_000)),
  ),
  extraKind("image-in-an-answer", "an image stands in an answer", "markfound", image(PNG, "aaaa"), NO_IMAGES),
  conversationKind(
    "answer-that-is-an-image",
    "an answer is nothing but an image",
    inserted("marklast", assistant("rx", image(PNG, "aaaa") as never)),
    NO_IMAGES,
  ),
  blockKind("result-that-is-an-svg", "a result is an SVG", ["markfile", 0], {
    content: [image("image/svg+xml", "PHN2Zy8+")],
  }),
  extraKind(
    "document-in-an-answer",
    "a document stands in an answer",
    "markfound",
    { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } },
    NO_IMAGES,
  ),
  extraKind("document-of-nothing", "a document has an empty text", "marklast", {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "" },
  }),
  extraKind(
    "document-of-an-unknown-source",
    "the source of a document is of a type that nobody knows",
    "marklast",
    { type: "document", source: { type: "tape" } },
  ),
];

const withId =
  (id: string) =>
  (messages: Fields[]): void => {
    blocksOf(messages, "markplan")[2]!["id"] = id;
    blocksOf(messages, "markfile")[0]!["tool_use_id"] = id;
  };

const FIELD_KINDS: readonly Kind[] = [
  conversationKind(
    "id-with-bad-letters",
    "the id of a call has letters that a provider refuses",
    withId("call:1/ü 2"),
    RENDERED,
  ),
  conversationKind(
    "id-that-is-too-long",
    "the id of a call has 300 letters",
    withId("x".repeat(300)),
    RENDERED,
  ),
  conversationKind("empty-id", "the id of a call is empty", withId(""), RENDERED),
  conversationKind(
    "ids-that-differ-late",
    "two long ids differ in their last letter only",
    (messages) => {
      withId(`${"y".repeat(90)}1`)(messages);
      blocksOf(messages, "marktail")[2]!["id"] = `${"y".repeat(90)}2`;
      blocksOf(messages, "markanswer")[0]!["tool_use_id"] = `${"y".repeat(90)}2`;
    },
    RENDERED,
  ),
  blockKind(
    "tool-name-that-is-too-long",
    "the name of a tool has 300 letters",
    ["markplan", 2],
    { name: "t".repeat(300) },
    RENDERED,
  ),
  blockKind(
    "tool-name-with-bad-letters",
    "the name of a tool has spaces and dots",
    ["markplan", 2],
    { name: "my tool.v1" },
    RENDERED,
  ),
  blockKind("empty-tool-name", "the name of a tool is empty", ["markplan", 2], { name: "" }, RENDERED),
  blockKind(
    "input-that-is-text",
    "the arguments of a call are a text",
    ["markplan", 2],
    { input: "markpath" },
    RENDERED,
  ),
  blockKind(
    "input-that-is-null",
    "the arguments of a call are `null`",
    ["markplan", 2],
    { input: null },
    { ...RENDERED },
  ),
  conversationKind(
    "call-that-lacks-input",
    "a call has no arguments",
    (messages) => void delete blocksOf(messages, "markplan")[2]!["input"],
    {
      quiet: "a call without arguments has none",
    },
  ),
  blockKind("refused-null-text", "a host hands over a text that is `null`", ["markfound", 0], { text: null }),
  blockKind(
    "refused-number-id",
    "a host hands over a call id that is a number",
    ["markplan", 2],
    { id: 5 },
    { costs: ["markplan", "markpath", "markthought"] },
  ),
  conversationKind(
    "refused-role",
    "a host hands over a role that nobody knows",
    (messages) => {
      messages[at(messages, "markfound")]!["role"] = "tool";
    },
    { costs: ["markfound"] },
  ),
  extraKind("host-hands-over-an-unknown-block", "a host hands over a block that nobody knows", "markfound", {
    type: "hologram",
    beam: 1,
  }),
  extraKind("host-hands-over-a-blob", "a host hands over a block of the log's own", "markfound", {
    type: "blob",
    blob: { hash: "0".repeat(64), bytes: 1 },
    view: "whole",
    shown: { type: "text", text: "x" },
  }),
  blockKind(
    "fields-of-a-host",
    "a block carries notes of its host",
    ["markfound", 0],
    { _uuid: "x", cache_control: { type: "ephemeral" }, index: 4 },
    RENDERED,
  ),
  blockKind(
    "citations-in-a-question",
    "a question carries citations",
    ["marklast", 0],
    { citations: [{ type: "x" }] },
    RENDERED,
  ),
];

export const CONTENT_KINDS: readonly Kind[] = [...SERVER_TOOL_KINDS, ...MEDIA_KINDS, ...FIELD_KINDS];
