import { describe, expect, it } from "vitest";
import {
  bindsReasoning,
  editSafety,
  holdsBoundReasoning,
  type MessageOfModel,
} from "#tokens/models/edit-safety.ts";

describe("bindsReasoning", () => {
  it.each([
    { id: "claude-opus-4-6", binds: false },
    { id: "claude-opus-4-8", binds: false },
    { id: "claude-opus-5", binds: false },
    { id: "claude-sonnet-5", binds: false },
    { id: "claude-fable-5", binds: false },
    { id: "claude-fable-5-1", binds: true },
    { id: "claude-fable-5-2", binds: true },
    { id: "us.anthropic.claude-opus-5-5-v1:0", binds: true },
    { id: "anthropic/claude-sonnet-5.5", binds: true },
    { id: "claude-haiku-5-5[1m]", binds: true },
    { id: "claude-opus-6", binds: true },
    { id: "claude-3-7-sonnet-20250219", binds: false },
    { id: "gpt-4o", binds: false },
    { id: "gpt-5.6-sol", binds: true },
    { id: "gpt-5-chat", binds: false },
    { id: "o3-mini", binds: true },
    { id: "gpt-oss-120b", binds: false },
    { id: "gemini-3-pro-preview", binds: false },
    { id: "some-local-model", binds: false },
  ])("is $binds for $id", ({ id, binds }) => {
    expect(bindsReasoning(id)).toBe(binds);
  });
});

describe("editSafety", () => {
  const signed: MessageOfModel = { content: [{ type: "thinking", thinking: "…", signature: "sig" }] };
  it.each([
    { messages: [], model: "claude-opus-4-5", safety: "permissive", why: "an older model" },
    {
      messages: [],
      model: "claude-opus-5-5",
      safety: "strict",
      why: "the model binds, even before it has thought",
    },
    {
      messages: [signed],
      model: "claude-opus-4-5",
      safety: "permissive",
      why: "signed by a model that does not bind",
    },
    {
      messages: [{ ...signed, model: "claude-fable-5-1" }],
      model: "claude-opus-4-5",
      safety: "strict",
      why: "bound thinking of the model used before becomes readable again on return",
    },
    {
      messages: [{ content: [{ type: "thinking", thinking: "…" }], model: "claude-fable-5-1" }],
      model: "claude-opus-4-5",
      safety: "permissive",
      why: "unsigned thinking is never sent back",
    },
    {
      messages: [{ content: [{ type: "redacted_thinking", data: "x" }], model: "claude-opus-5-5" }],
      model: "claude-opus-4-5",
      safety: "strict",
      why: "ciphered thinking",
    },
    {
      messages: [
        {
          content: [
            {
              type: "opaque",
              provider: "openai-responses",
              value: { type: "reasoning", encrypted_content: "x" },
            },
          ],
          model: "gpt-5.6-sol",
        },
      ],
      model: "gpt-4o",
      safety: "strict",
      why: "encrypted reasoning items",
    },
  ] as { messages: MessageOfModel[]; model: string; safety: string; why: string }[])("is $safety: $why", ({
    messages,
    model,
    safety,
  }) => {
    const holds = messages.some((message) => holdsBoundReasoning(message, model));
    expect(editSafety({ model, holdsBoundReasoning: holds })).toBe(safety);
  });
});
