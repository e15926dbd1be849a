/** Which edits of the context each endpoint is asked for, by the address of a vendor's own client. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";

/** The edits that are made, in one line. */
const inWords = (edits: object | undefined): string =>
  edits === undefined
    ? "unknown"
    : Object.entries(edits)
        .flatMap(([name, value]) => (value === true ? [name] : []))
        .join(" ");

describe("the edits of an endpoint", () => {
  it.each([
    {
      baseURL: undefined,
      model: "claude-opus-5-5",
      edits: "clearsResults clearsThinking compacts compactsOnDemand",
    },
    { baseURL: undefined, model: "claude-opus-4-5", edits: "clearsResults clearsThinking" },
    { baseURL: undefined, model: "claude-haiku-4-5", edits: "clearsResults clearsThinking" },
    { baseURL: undefined, model: "claude-3-7-sonnet-latest", edits: "" },
    { baseURL: undefined, model: "some-model", edits: "unknown" },
    {
      baseURL: "https://bedrock-runtime.us-east-1.amazonaws.com",
      model: "us.anthropic.claude-opus-5-5-v1:0",
      edits: "clearsResults clearsThinking compacts",
    },
    {
      baseURL: "https://us-east5-aiplatform.googleapis.com/v1",
      model: "claude-opus-5-5@20260801",
      edits: "clearsResults clearsThinking compacts",
    },
    {
      baseURL: "https://me.services.ai.azure.com/anthropic/",
      model: "claude-opus-5-5",
      edits: "clearsResults clearsThinking",
    },
    { baseURL: "https://gateway.example.com", model: "claude-opus-5-5", edits: "unknown" },
    { baseURL: "https://api.anthropic.com.example.com", model: "claude-opus-5-5", edits: "unknown" },
    { baseURL: "http://127.0.0.1:8080", model: "claude-opus-5-5", edits: "unknown" },
  ])("at $baseURL, for $model: $edits", ({ baseURL, model, edits }) => {
    const client = new Anthropic({ apiKey: "any", ...(baseURL === undefined ? {} : { baseURL }) });
    expect(inWords(anthropicModel(client).endpointEdits?.(model))).toBe(edits);
  });

  it.each([
    { client: new OpenAI({ apiKey: "any" }), edits: "compacts compactsOnDemand" },
    { client: new OpenAI({ apiKey: "any", baseURL: "http://localhost:11434/v1" }), edits: "unknown" },
    {
      client: new AzureOpenAI({ apiKey: "any", endpoint: "https://me.openai.azure.com", apiVersion: "v1" }),
      edits: "",
    },
  ])("of the OpenAI SDK: $edits", ({ client, edits }) => {
    expect(inWords(openaiResponsesModel(client).endpointEdits?.("gpt-6-sol"))).toBe(edits);
  });

  it("is that of the name, where a proxy hides the endpoint", () => {
    const client = new Anthropic({ apiKey: "any", baseURL: "http://127.0.0.1:8080" });
    const model = anthropicModel(client, { endpoint: "anthropic" });
    expect(model.endpointEdits?.("claude-opus-5-5")).toEqual({
      clearsResults: true,
      clearsThinking: true,
      compacts: true,
      leastCompactTokens: 50_000,
      compactsOnDemand: true,
    });
  });
});
