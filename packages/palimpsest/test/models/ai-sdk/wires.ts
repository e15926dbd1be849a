/** One answer of a model, written down the way each of three APIs writes it, whole and streamed. */
import type { Reply } from "./wire-server.ts";

/** An answer of a model, independent of any API. */
export interface WireAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  readonly stop: "end" | "tool-use" | "output-limit" | "refusal";
}

/** Its form in one API. The usage is always the same: a prompt of 100 tokens, 60 of them from the cache; 20 out. */
export interface Wire {
  readonly name: string;
  readonly json: (answer: WireAnswer) => Reply;
  /** The events of a stream, each ended by an empty line. */
  readonly events: (answer: WireAnswer) => readonly string[];
  readonly error: (status: number, error: { readonly type: string; readonly message: string }) => Reply;
  /** The form of the reasoning in a request that hands it back; `undefined` where it cannot be. */
  readonly returnedReasoning: ((body: Readonly<Record<string, unknown>>) => unknown) | undefined;
  readonly sentReasoning?: unknown;
}

const SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h";
const CIPHER = "gAAAAABo_encrypted";

const event = (data: object & { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const chunk = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const halves = (text: string): readonly string[] =>
  [text.slice(0, 3), text.slice(3)].filter((half) => half !== "");

const ANTHROPIC_STOPS = {
  end: "end_turn",
  "tool-use": "tool_use",
  "output-limit": "max_tokens",
  refusal: "refusal",
};
const ANTHROPIC_USAGE = {
  input_tokens: 30,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 10,
  output_tokens: 20,
};

function anthropicBlocks({
  thinking,
  text,
  calls = [],
}: WireAnswer): readonly Readonly<Record<string, unknown>>[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: SIGNATURE }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

const ANTHROPIC_HEAD = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-4-5-20251101" };

export const anthropicWire: Wire = {
  name: "Anthropic Messages",
  json: (answer) => ({
    body: JSON.stringify({
      ...ANTHROPIC_HEAD,
      content: anthropicBlocks(answer),
      stop_reason: ANTHROPIC_STOPS[answer.stop],
      stop_sequence: null,
      usage: ANTHROPIC_USAGE,
    }),
  }),
  events: (answer) => [
    event({
      type: "message_start",
      message: {
        ...ANTHROPIC_HEAD,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...ANTHROPIC_USAGE, output_tokens: 1 },
      },
    } as never),
    event({ type: "ping" }),
    ...anthropicBlocks(answer).flatMap((block, index) => [
      event({ type: "content_block_start", index, content_block: emptied(block) } as never),
      ...anthropicDeltas(block).map((delta) => event({ type: "content_block_delta", index, delta } as never)),
      event({ type: "content_block_stop", index } as never),
    ]),
    event({
      type: "message_delta",
      delta: { stop_reason: ANTHROPIC_STOPS[answer.stop], stop_sequence: null },
      usage: { output_tokens: 20 },
    } as never),
    event({ type: "message_stop" }),
  ],
  error: (status, { type, message }) => ({
    status,
    body: JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" }),
  }),
  returnedReasoning: (body) =>
    (body["messages"] as readonly { readonly content: readonly { readonly type: string }[] }[])
      .flatMap(({ content }) => content)
      .filter(({ type }) => type === "thinking"),
  sentReasoning: [{ type: "thinking", thinking: "Let me see.", signature: SIGNATURE }],
};

function emptied(block: Readonly<Record<string, unknown>>): object {
  if (block["type"] === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block["type"] === "text" ? { type: "text", text: "" } : { ...block, input: {} };
}

function anthropicDeltas(block: Readonly<Record<string, unknown>>): readonly object[] {
  if (block["type"] === "thinking")
    return [
      ...halves(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block["signature"] },
    ];
  if (block["type"] === "text")
    return halves(String(block["text"])).map((text) => ({ type: "text_delta", text }));
  return halves(JSON.stringify(block["input"])).map((partial_json) => ({
    type: "input_json_delta",
    partial_json,
  }));
}

const CHAT_STOPS = {
  end: "stop",
  "tool-use": "tool_calls",
  "output-limit": "length",
  refusal: "content_filter",
};
const CHAT_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
};
const CHAT_HEAD = { id: "chatcmpl-1", created: 1_700_000_000, model: "gpt-4.1-2025-04-14" };

export const chatWire: Wire = {
  name: "OpenAI Chat Completions",
  json: ({ thinking, text, calls = [], stop }) => ({
    body: JSON.stringify({
      ...CHAT_HEAD,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: text ?? null,
            refusal: null,
            ...(thinking === undefined ? {} : { reasoning_content: thinking }),
            ...(calls.length === 0 ? {} : { tool_calls: calls.map(chatCall) }),
          },
          finish_reason: CHAT_STOPS[stop],
        },
      ],
      usage: CHAT_USAGE,
    }),
  }),
  events: ({ thinking, text, calls = [], stop }) => {
    const deltas: readonly object[] = [
      { role: "assistant", content: "" },
      ...halves(thinking ?? "").map((reasoning_content) => ({ reasoning_content })),
      ...halves(text ?? "").map((content) => ({ content })),
      ...calls.flatMap((call, index) => {
        const { function: called, ...head } = chatCall(call);
        const [first, ...others] = halves(called.arguments);
        return [
          { tool_calls: [{ index, ...head, function: { name: called.name, arguments: first } }] },
          ...others.map((rest) => ({ tool_calls: [{ index, function: { arguments: rest } }] })),
        ];
      }),
    ];
    const choices = (delta: object, finish_reason: string | null): object => ({
      ...CHAT_HEAD,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    return [
      ...deltas.map((delta) => chunk(choices(delta, null))),
      chunk(choices({}, CHAT_STOPS[stop])),
      chunk({ ...CHAT_HEAD, object: "chat.completion.chunk", choices: [], usage: CHAT_USAGE }),
      "data: [DONE]\n\n",
    ];
  },
  error: (status, { type, message }) => ({
    status,
    body: JSON.stringify({ error: { message, type, param: null, code: null } }),
  }),
  returnedReasoning: undefined,
};

function chatCall({
  id,
  name,
  input,
}: {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

const RESPONSES_USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};

function responsesItems({ thinking, text, calls = [], stop }: WireAnswer): readonly object[] {
  const content =
    stop === "refusal"
      ? [{ type: "refusal", refusal: text ?? "No." }]
      : text === undefined
        ? []
        : [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            id: "rs_1",
            type: "reasoning",
            summary: [{ type: "summary_text", text: thinking }],
            encrypted_content: CIPHER,
          },
        ]),
    ...(content.length === 0
      ? []
      : [{ id: "msg_1", type: "message", status: "completed", role: "assistant", content }]),
    ...calls.map(({ id, name, input }) => ({
      id: `fc_${id}`,
      type: "function_call",
      status: "completed",
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
  ];
}

function response(answer: WireAnswer, output: readonly object[]): object {
  const isCut = answer.stop === "output-limit";
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    model: "gpt-5.1-2025-11-13",
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    error: null,
    output,
    usage: RESPONSES_USAGE,
  };
}

export const responsesWire: Wire = {
  name: "OpenAI Responses",
  json: (answer) => ({ body: JSON.stringify(response(answer, responsesItems(answer))) }),
  events: (answer) => {
    let sequence_number = 0;
    const numbered = (data: object & { readonly type: string }): string =>
      event({ ...data, sequence_number: sequence_number++ } as never);
    const last = answer.stop === "output-limit" ? "response.incomplete" : "response.completed";
    return [
      numbered({
        type: "response.created",
        response: { ...response(answer, []), status: "in_progress", usage: null },
      } as never),
      ...responsesItems(answer).flatMap((item, output_index) => [
        numbered({ type: "response.output_item.added", output_index, item: begun(item) } as never),
        ...responsesDeltas(item, output_index).map(numbered),
        numbered({ type: "response.output_item.done", output_index, item } as never),
      ]),
      numbered({ type: last, response: response(answer, responsesItems(answer)) } as never),
    ];
  },
  error: (status, { type, message }) => ({
    status,
    body: JSON.stringify({ error: { message, type, param: null, code: null } }),
  }),
  returnedReasoning: (body) =>
    (body["input"] as readonly { readonly type: string }[])
      .filter(({ type }) => type === "reasoning")
      .map((item) => (item as { readonly encrypted_content?: string }).encrypted_content),
  sentReasoning: [CIPHER],
};

function begun(item: object): object {
  if ("arguments" in item) return { ...item, arguments: "", status: "in_progress" };
  return "content" in item ? { ...item, content: [], status: "in_progress" } : { ...item, summary: [] };
}

function responsesDeltas(
  item: object,
  output_index: number,
): readonly (object & { readonly type: string })[] {
  const { id: item_id } = item as { readonly id: string };
  if ("arguments" in item)
    return [
      ...halves(String(item.arguments)).map((delta) => ({
        type: "response.function_call_arguments.delta",
        item_id,
        output_index,
        delta,
      })),
      {
        type: "response.function_call_arguments.done",
        item_id,
        output_index,
        arguments: item.arguments,
      } as never,
    ];
  if ("summary" in item)
    return [
      {
        type: "response.reasoning_summary_part.added",
        item_id,
        output_index,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      } as never,
      ...halves((item.summary as readonly { readonly text: string }[])[0]!.text).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        item_id,
        output_index,
        summary_index: 0,
        delta,
      })),
      { type: "response.reasoning_summary_part.done", item_id, output_index, summary_index: 0 } as never,
    ];
  const [part] = (
    item as { readonly content: readonly { readonly text?: string; readonly refusal?: string }[] }
  ).content;
  const kind = part?.text === undefined ? "refusal" : "output_text";
  return halves(part?.text ?? part?.refusal ?? "").map((delta) => ({
    type: `response.${kind}.delta`,
    item_id,
    output_index,
    content_index: 0,
    delta,
  }));
}
