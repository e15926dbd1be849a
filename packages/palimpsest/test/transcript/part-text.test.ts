/** Search results and documents of text inside of a tool's result are text for every reader of it. */
import { FakeClock, judgeAnthropicRequest, judgeOpenAIResponsesRequest, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { writeRounds } from "#compaction/summary/cold-transcript.ts";
import { markdownItem } from "#exporters/markdown.ts";
import { findMessageRepairs } from "#session/append/content-repairs.ts";
import { HISTORY_TOOLS } from "#session/history/history-tools.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { presented } from "#test/exporters/exported.ts";
import { estimateBlock } from "#tokens/estimate/estimate-block.ts";
import {
  blockText,
  type ContentBlock,
  type Message,
  partText,
  type ToolResultBlock,
} from "#transcript/blocks.ts";
import { toAiSdk } from "#wire/ai-sdk/to-ai-sdk.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { geminiContents } from "#wire/gemini/gemini-contents.ts";
import { toLangChain } from "#wire/langchain/to-langchain.ts";
import { toOpenAIAgents } from "#wire/openai-agents/to-openai-agents.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { fromOpenAIResponses } from "#wire/openai-responses/from-openai-responses.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import { asWindow } from "../../../../test/helpers/recorded.ts";
import { assistant, call, measure, user } from "../../../../test/helpers/windows.ts";

type Part = ReturnType<typeof searchResult>;
const text = (words: string) => ({ type: "text", text: words });
const searchResult = (words: string) =>
  ({ type: "search_result", source: "kb://1", title: "Guide", content: [text(words)] }) as const;
const textDocument = (words: string) => ({
  type: "document",
  title: "Notes",
  source: { type: "text", media_type: "text/plain", data: words },
});
const contentDocument = (words: string) => ({
  type: "document",
  source: { type: "content", content: [text(words), { type: "image", source: {} }] },
});
const resource = (words: string) => ({
  type: "resource",
  resource: { uri: "file:///notes.md", mimeType: "text/markdown", text: words },
});
const link = (words: string) => ({
  type: "resource_link",
  name: "notes.md",
  uri: "file:///notes.md",
  description: words,
});
const PDF = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } };

const KINDS = [
  { name: "text", make: text, before: "", after: "" },
  { name: "a search result", make: searchResult, before: "Guide\nkb://1\n", after: "" },
  { name: "a document of text", make: textDocument, before: "", after: "" },
  { name: "an embedded resource", make: resource, before: "file:///notes.md\n", after: "" },
  { name: "a link to a resource", make: link, before: "notes.md\nfile:///notes.md\n", after: "" },
  { name: "a document of contents", make: contentDocument, before: "", after: "\n[image]" },
];

/** Made up here, and put together so that no scanner takes this file for a leak. */
const KEY = `${"gh"}p_abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ0129abc`;
const WORDS = "The zeppelinquokka lives in hangar 17.";
const LONG = Array.from({ length: 3_000 }, (_, line) => `line ${line} of the listing`).join("\n");

const result = (...parts: readonly object[]): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: "t1",
  content: parts as unknown as readonly Part[],
});
const exchange = (block: ContentBlock): readonly Message[] => [
  user("Where is it?"),
  assistant("r1", call("t1", "lookUp", { query: "x" })),
  { role: "user", origin: "tool", content: [block] },
];

async function sessionWith(block: ContentBlock) {
  const session = await createSession({
    store: new InMemorySessionStore(),
    clock: new FakeClock(),
    ids: seededIds(1),
    hasher: nodeHasher,
    window: { windowTokens: 64_000 },
  });
  // Previews name the history tools if the request before them declared these.
  const request = { model: "claude-sonnet-4-5", tools: HISTORY_TOOLS.map(({ name }) => ({ name })) };
  const [question, answer, results] = exchange(block);
  await session.append(question!);
  await session.prepare(request);
  await session.record({ messages: [answer!] });
  const seqs = await session.append(results!);
  const { messages } = await session.prepare(request);
  return { session, pointer: `m${seqs.at(-1)}.0`, shown: messages.at(-1)!.content[0]! };
}

describe.each(KINDS)("$name in a tool's result", ({ make, before, after }) => {
  it("is found, and read to the letter", async () => {
    const { session, pointer } = await sessionWith(result(text("First."), make(WORDS), PDF));
    expect((await session.history.search("zeppelinquokka")).map((hit) => hit.pointer)).toEqual([pointer]);
    expect((await session.history.read(pointer)).text).toBe(`First.\n${before}${WORDS}${after}\n[document]`);
  });

  it("shows its beginning and its end on arrival, and names the offset of the rest", async () => {
    const block = result(text("First."), make(LONG), text("Last."));
    const { session, pointer, shown } = await sessionWith(block);
    const whole = blockText(block);
    const parts = (shown as ToolResultBlock).content as readonly { readonly type: string }[];
    expect([parts[0], parts[2]]).toEqual([text("First."), text("Last.")]);
    const preview = partText(parts[1]!)!;
    const marker = /\[… .*? lines, ([\d,]+) characters, .*? offset: (\d+) .* …\]\n/.exec(preview)!;
    const offset = Number(marker[2]);
    const missing = Number(marker[1]!.replaceAll(",", ""));
    const head = preview.slice(0, marker.index);
    const tail = preview.slice(marker.index + marker[0].length);
    expect(head.startsWith(`${before}line 0 of the listing\n`)).toBe(true);
    expect(tail.endsWith(`line 2999 of the listing${after}`)).toBe(true);
    expect(whole.slice(0, offset)).toBe(`First.\n${head}`);
    expect(whole.slice(offset + missing)).toBe(`${tail}\nLast.`);
    expect((await session.history.read(pointer, { offset, limit: 200 })).text).toBe(
      whole.slice(offset, offset + 200),
    );
  });

  it("is in the transcript of a summary, and in an export, without its secrets", () => {
    const block = result(make(`${WORDS} The key is ${KEY}, keep it.`));
    const clean = `${before}${WORDS} The key is [redacted: github], keep it.${after}`;
    expect(writeRounds(asWindow(exchange(block)), measure).at(-1)!.text).toContain(`[result]\n${clean}`);
    expect(markdownItem(presented([block]))).toContain(clean);
  });

  it.each<{ name: string; write: (messages: readonly Message[]) => unknown }>([
    { name: "Anthropic", write: toAnthropic },
    { name: "OpenAI Chat", write: toOpenAIChat },
    { name: "OpenAI Responses", write: toOpenAIResponses },
    {
      name: "the AI SDK",
      write: (messages) => toAiSdk({ model: "m", messages }, { version: "v3", takesMarks: false }),
    },
    { name: "OpenAI Agents", write: toOpenAIAgents },
    { name: "LangChain", write: toLangChain },
    { name: "Gemini's count", write: geminiContents },
  ])("is sent to $name, also if the call failed", ({ write }) => {
    const block = result(make(WORDS));
    for (const sent of [block, { ...block, is_error: true }])
      expect(JSON.stringify(write(exchange(sent)))).toContain(WORDS);
  });
});

it.each<{ name: string; write: (messages: readonly Message[]) => unknown }>([
  { name: "Anthropic", write: toAnthropic },
  { name: "OpenAI Chat", write: toOpenAIChat },
  { name: "OpenAI Responses", write: toOpenAIResponses },
  {
    name: "the AI SDK",
    write: (messages) => toAiSdk({ model: "m", messages }, { version: "v3", takesMarks: false }),
  },
  { name: "OpenAI Agents", write: toOpenAIAgents },
  { name: "LangChain", write: toLangChain },
  { name: "Gemini's count", write: geminiContents },
])("a document of the user's that is text is sent to $name", ({ write }) => {
  const markdown = { type: "document", source: { type: "text", media_type: "text/markdown", data: WORDS } };
  for (const document of [textDocument(WORDS), contentDocument(WORDS), markdown])
    expect(JSON.stringify(write([{ role: "user", content: [document as never] }]))).toContain(WORDS);
});

it.each([
  { part: PDF, why: "a PDF" },
  { part: { type: "image", source: { type: "url", url: "https://example.com/a.png" } }, why: "an image" },
  {
    part: { type: "document", source: { type: "base64", data: "AA==", content: "x" } },
    why: "a PDF with a content",
  },
  { part: { type: "document" }, why: "a document without a source" },
  { part: { type: "document", source: { type: "content", content: [] } }, why: "a document of nothing" },
  { part: { type: "document", source: { type: "text", data: 7 } }, why: "a document whose text is a number" },
  {
    part: { type: "search_result", title: 1, source: {}, content: [null, 2] },
    why: "a damaged search result",
  },
  { part: { type: "tool_reference", tool_name: "x" }, why: "the name of a tool" },
  { part: { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } }, why: "a resource of bytes" },
  { part: { type: "resource", text: "x" }, why: "a resource that holds nothing" },
  { part: { type: "resource_link", name: "a" }, why: "a link without an address" },
])("$why has no text", ({ part }) => {
  expect(partText(part)).toBeUndefined();
});

describe("bytes in a tool's result", () => {
  const BYTES = "QUJD".repeat(4_000);
  const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: BYTES } };
  const blob = {
    type: "resource",
    resource: { uri: "file:///a.zip", mimeType: "application/zip", blob: BYTES },
  };
  const audio = { type: "audio", data: BYTES, mimeType: "audio/wav" };
  const line = (words: string): string =>
    `[${words}, 12 KB, not shown: only text can be sent in a result here]`;

  it.each([
    { part: pdf, shown: line("document, application/pdf"), why: "a PDF, in Chat Completions" },
    { part: blob, shown: line("resource, application/zip, file:///a.zip"), why: "a resource" },
    { part: audio, shown: line("audio, audio/wav"), why: "a sound" },
  ])("are named, not written out: $why", ({ part, shown }) => {
    const writers = [toOpenAIChat, ...(part === pdf ? [] : [toAnthropic, toOpenAIResponses, toOpenAIAgents])];
    for (const write of writers) {
      const sent = JSON.stringify(write(exchange(result(text("First."), part))));
      expect(sent).toContain(shown);
      expect(sent).not.toContain("QUJDQUJD");
    }
  });

  it.each([
    {
      why: "a picture of MCP of a type that no API reads",
      part: { type: "image", data: BYTES, mimeType: "image/tiff" },
    },
    {
      why: "a file of the AI SDK",
      part: { type: "file", data: { type: "data", data: BYTES }, mediaType: "application/zip" },
    },
    { why: "a sound of Chat Completions", part: { type: "input_audio", input_audio: { data: BYTES } } },
  ])("are not written out in the form of another library: $why", ({ part }) => {
    for (const write of [toOpenAIChat, toOpenAIResponses, toOpenAIAgents]) {
      const sent = JSON.stringify(write(exchange(result(text("First."), part))));
      expect(sent).toContain(part.type);
      expect(sent).not.toContain("QUJDQUJD");
    }
  });

  it("of a picture of MCP are sent as a picture, where the API takes one in a result", async () => {
    const picture = { type: "image", data: BYTES, mimeType: "image/png" };
    const messages = exchange(result(text("First."), picture));
    const url = `data:image/png;base64,${BYTES}`;
    const [items, agents] = [toOpenAIResponses, toOpenAIAgents].map((write) => write(messages).at(-1));
    expect((items as { readonly output?: unknown }).output).toEqual([
      { type: "input_text", text: "First." },
      { type: "input_image", image_url: url },
    ]);
    expect(JSON.stringify(agents)).toContain(JSON.stringify({ type: "input_image", image: url }));
    const source = { type: "base64", media_type: "image/png", data: BYTES };
    for (const written of [toAnthropic(messages), toLangChain(messages)])
      expect(JSON.stringify(written)).toContain(JSON.stringify({ type: "image", source }));
    const sdk = toAiSdk({ model: "m", messages }, { version: "v3", takesMarks: false });
    expect(JSON.stringify(sdk)).toContain(
      JSON.stringify({ type: "file-data", data: BYTES, mediaType: "image/png" }),
    );
    expect(JSON.stringify(toOpenAIChat(messages))).toContain(line("image, image/png"));
    expect(judgeOpenAIResponsesRequest({ model: "gpt-5.5", input: toOpenAIResponses(messages) })).toEqual([]);
    const body = { model: "m", max_tokens: 1, messages: toAnthropic(messages) };
    expect(judgeAnthropicRequest(body)).toEqual([]);
    // It counts as a picture, whatever its letters are.
    expect(estimateBlock(result(picture))).toBe(estimateBlock(result({ type: "image", source })));
    expect(findMessageRepairs({ role: "user", seq: 1, content: [result(picture)] })).toEqual([]);
  });

  it.each([
    { why: "a table", part: { type: "table", data: "name,age\nAda,36" }, kept: "Ada,36" },
    { why: "a text of LangChain", part: { type: "text-plain", data: "plain words" }, kept: "plain words" },
    {
      why: "a long text of a named type",
      part: { type: "text-plain", mimeType: "text/plain", data: "plain words ".repeat(200) },
      kept: "plain words plain words",
    },
  ])("are no texts that have the same names: $why", ({ part, kept }) => {
    for (const write of [toOpenAIChat, toOpenAIResponses, toOpenAIAgents])
      expect(JSON.stringify(write(exchange(result(part))))).toContain(kept);
  });

  it("that came in OpenAI's own form go back in it", () => {
    const file = {
      type: "input_file",
      filename: "a.pdf",
      file_data: `data:application/pdf;base64,${BYTES}`,
    };
    const items = [
      { type: "message", role: "user", content: "go" },
      { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: [file] },
    ];
    const sent = toOpenAIResponses(fromOpenAIResponses(items).messages) as readonly { output?: unknown }[];
    expect(sent.at(-1)!.output).toEqual([file]);
  });

  it("of the AI SDK, too", () => {
    const options = { version: "v3", takesMarks: false } as const;
    for (const part of [blob, audio])
      expect(JSON.stringify(toAiSdk({ model: "m", messages: exchange(result(part)) }, options))).toContain(
        "12 KB, not shown",
      );
  });
});
