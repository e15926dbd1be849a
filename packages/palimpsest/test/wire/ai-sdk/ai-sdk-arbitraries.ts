/** Messages of the AI SDK, with every part of versions 5, 6 and 7. */
import fc from "fast-check";
import type { AiSdkMessage } from "#wire/ai-sdk/model-messages.ts";
import type { AiSdkUiMessage } from "#wire/ai-sdk/ui-messages.ts";

const words = fc.oneof(fc.lorem({ maxCount: 6 }), fc.constantFrom("", " ", "{}", "漢字 🙂", "null"));
const id = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** What a provider says about a part. */
const options = fc.option(
  fc.constantFrom(
    { openai: { itemId: "rs_1", reasoningEncryptedContent: "x" } },
    { anthropic: { cacheControl: { type: "ephemeral" } } },
    { google: { thoughtSignature: "y" } },
  ),
  { nil: undefined },
);

const part = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc
    .tuple(fc.record(fields), options)
    .map(([own, providerOptions]) => (providerOptions === undefined ? own : { ...own, providerOptions }));
const is = <T extends string>(type: T) => fc.constant(type);

const base64 = fc.constantFrom("iVBORw0KGgo=", "/9j/4AAQ", "AQID", "");
const url = fc.constantFrom("https://example.com/a.png", "http://example.com/b?c=d");
const dataUrl = fc.constantFrom("data:image/png;base64,iVBORw0KGgo=", "data:text/plain,hello", "data:,x");
const bare = fc.oneof(
  base64,
  url,
  dataUrl,
  url.map((address) => new URL(address)),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => new Uint8Array(bytes)),
);
const data = fc.oneof(
  bare,
  fc.oneof(base64, fc.constant(new Uint8Array([1, 2]))).map((inner) => ({ type: "data", data: inner })),
  url.map((address) => ({ type: "url", url: new URL(address) })),
  fc.constant({ type: "text", text: "a file" }),
  fc.constant({ type: "reference", reference: { openai: "file_1" } }),
);
const mediaType = fc.constantFrom("image/png", "image/*", "application/pdf", "audio/wav", "text/plain");

const text = part({ type: is("text"), text: words });
const file = fc.oneof(
  part({ type: is("file"), data, mediaType }),
  part({ type: is("file"), data, mediaType, filename: words }),
);
const image = fc.oneof(
  part({ type: is("image"), image: bare }),
  part({ type: is("image"), image: bare, mediaType }),
);

const reasoning = fc.oneof(
  part({ type: is("reasoning"), text: words }),
  words.map((text) => ({
    type: "reasoning",
    text,
    providerOptions: { anthropic: { signature: "c2ln", more: 1 } },
  })),
  fc.constant({ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "c2VhbGVk" } } }),
);
const call = fc.oneof(
  part({ type: is("tool-call"), toolCallId: id, toolName: id, input: json }),
  part({
    type: is("tool-call"),
    toolCallId: id,
    toolName: id,
    input: json,
    providerExecuted: fc.boolean(),
  }),
);

const outputPart = fc.oneof(
  part({ type: is("text"), text: words }),
  fc.record({ type: is("media"), data: base64, mediaType }),
  part({ type: is("file-data"), data: base64, mediaType, filename: words }),
  part({ type: is("image-data"), data: base64, mediaType }),
  part({ type: is("file-url"), url }),
  part({ type: is("image-url"), url }),
  part({ type: is("file-id"), fileId: id }),
  part({ type: is("file"), data: base64.map((inner) => ({ type: "data", data: inner })), mediaType }),
  part({ type: is("file-reference"), providerReference: fc.constant({ openai: "file_1" }) }),
  part({ type: is("custom") }),
);
const output = fc.oneof(
  part({ type: is("text"), value: words }),
  part({ type: is("json"), value: json }),
  part({ type: is("error-text"), value: words }),
  part({ type: is("error-json"), value: json }),
  part({ type: is("execution-denied") }),
  part({ type: is("execution-denied"), reason: words }),
  part({ type: is("content"), value: fc.array(outputPart, { maxLength: 3 }) }),
);
const result = part({ type: is("tool-result"), toolCallId: id, toolName: id, output });
const approval = fc.oneof(
  fc.record({ type: is("tool-approval-response"), approvalId: id, approved: fc.boolean() }),
  fc.record({ type: is("tool-approval-response"), approvalId: id, approved: fc.boolean(), reason: words }),
);

const ofAssistant = fc.oneof(
  text,
  reasoning,
  call,
  result,
  file,
  part({ type: is("reasoning-file"), data: bare, mediaType }),
  part({ type: is("custom"), kind: fc.constant("openai.compaction") }),
  fc.record({ type: is("tool-approval-request"), approvalId: id, toolCallId: id }),
);

const message = (role: AiSdkMessage["role"], content: fc.Arbitrary<unknown>): fc.Arbitrary<AiSdkMessage> =>
  fc.tuple(content, options).map(([own, providerOptions]) => ({
    role,
    content: own,
    ...(providerOptions === undefined || Object.keys(providerOptions).length === 0
      ? {}
      : { providerOptions }),
  }));
const some = (parts: fc.Arbitrary<object>) => fc.array(parts, { maxLength: 4 });

/** Any message of any version. */
export const modelMessage: fc.Arbitrary<AiSdkMessage> = fc.oneof(
  message("system", words),
  message("user", fc.oneof(words, some(fc.oneof(text, file, image)))),
  message("assistant", fc.oneof(words, some(ofAssistant))),
  message("tool", some(fc.oneof(result, approval))),
);

const uiPart = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc
    .tuple(fc.record(fields), options, fc.constantFrom({}, { state: "done" }, { state: "streaming" }))
    .map(([own, providerMetadata, state]) => ({
      ...own,
      ...state,
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    }));
const uiFile = fc.oneof(
  fc.record({ type: is("file"), mediaType, url: fc.oneof(url, dataUrl) }),
  fc.record({ type: is("file"), mediaType, url: dataUrl, filename: words }),
);
const beside = fc.oneof(
  fc.record({ type: is("source-url"), sourceId: id, url, title: words }),
  fc.record({ type: is("source-document"), sourceId: id, mediaType, title: words }),
  fc.record({ type: is("data-weather"), id, data: json }),
  fc.constant({ type: "step-start" }),
);

const approved = fc.record({ id, approved: fc.constant(true) });
const toolState = fc.oneof(
  fc.record({ state: is("input-streaming"), input: json }),
  fc.constant({ state: "input-streaming" }),
  fc.record({ state: is("input-available"), input: json }),
  fc.record({ state: is("approval-requested"), input: json, approval: fc.record({ id }) }),
  fc.record({ state: is("approval-responded"), input: json, approval: approved }),
  fc.record({ state: is("output-available"), input: json, output: json }),
  fc.record({ state: is("output-available"), input: json, output: words, preliminary: fc.boolean() }),
  fc.record({ state: is("output-available"), input: json, output: json, approval: approved }),
  fc.record({ state: is("output-error"), input: json, errorText: words }),
  fc.record({ state: is("output-error"), rawInput: json, errorText: is("Bad input.") }),
  fc.record({
    state: is("output-denied"),
    input: json,
    approval: fc.record({ id, approved: fc.constant(false), reason: words }),
  }),
);
const tool = fc
  .tuple(
    toolState,
    id,
    fc.constantFrom<object>(
      { type: "tool-read" },
      { type: "dynamic-tool", toolName: "mcp_read", title: "Read" },
    ),
    fc.constantFrom<object>(
      {},
      { callProviderMetadata: { openai: { itemId: "fc_1" } } },
      { providerExecuted: true },
    ),
  )
  .map(
    ([state, toolCallId, kind, more]) =>
      ({ ...kind, toolCallId, ...state, ...more }) as unknown as { type: string },
  );

const uiParts = (...parts: fc.Arbitrary<{ type: string }>[]) =>
  fc.array(fc.oneof(...parts), { maxLength: 6 });
const uiMessage = fc.oneof(
  fc.record({ role: is("user"), parts: uiParts(uiPart({ type: is("text"), text: words }), uiFile, beside) }),
  fc.record({ role: is("system"), parts: uiParts(uiPart({ type: is("text"), text: words })) }),
  fc.record({
    role: is("assistant"),
    parts: uiParts(
      uiPart({ type: is("text"), text: words }),
      uiPart({ type: is("reasoning"), text: words }),
      tool,
      uiFile,
      beside,
    ),
    metadata: fc.constantFrom({ createdAt: 5 }, null),
  }),
);

/** Any chat of any version. */
export const uiMessages = fc
  .array(uiMessage, { maxLength: 4 })
  .map((messages) => messages.map((one, index) => ({ id: `m${index}`, ...one }) as AiSdkUiMessage));
