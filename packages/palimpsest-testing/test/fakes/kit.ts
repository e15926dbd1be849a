/**
 * Providers that a test starts and need not close, and the vendors' own SDKs pointed at them.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import {
  type ScriptedProvider,
  type ScriptedProviderOptions,
  scriptedProvider,
} from "#scripted-provider/scripted-provider.ts";

/** A provider, and clients of it. */
export interface Connected {
  readonly provider: ScriptedProvider;
  readonly anthropic: Anthropic;
  readonly openai: OpenAI;
  /** Posts a body as it is. */
  readonly post: (
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }>;
}

/** Runs a test against a provider, and closes it whatever happens. */
export async function withProvider(
  options: ScriptedProviderOptions,
  run: (connected: Connected) => Promise<void>,
  { maxRetries = 0 }: { readonly maxRetries?: number } = {},
): Promise<void> {
  const provider = await scriptedProvider(options);
  try {
    await run({
      provider,
      anthropic: new Anthropic({ apiKey: "any", baseURL: provider.url, maxRetries }),
      openai: new OpenAI({ apiKey: "any", baseURL: provider.openAiUrl, maxRetries }),
      post: async (path, body, headers = {}) => {
        const response = await fetch(`${provider.url}${path}`, {
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
          headers: { "content-type": "application/json", ...headers },
        });
        const text = await response.text();
        return { status: response.status, body: jsonOr(text), headers: response.headers };
      },
    });
  } finally {
    await provider.close();
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The error with which a promise is rejected. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const outcome = await promise.then(
    () => "resolved",
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome as Error & Record<string, unknown>;
  throw new Error(`It was not rejected with an error but ${String(outcome)}.`);
}

/** Tokens are characters: figures in tests can be counted by hand. */
export const countCharacters = (text: string): number => text.length;
