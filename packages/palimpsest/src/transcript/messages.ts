/**
 * Messages: who said what, and where it came from.
 */
import type { ContentBlock } from "./blocks.ts";

/** `system` may stand inside the conversation; the system prompt itself is not a message. */
export type Role = "user" | "assistant" | "system";

/**
 * Where a message came from, which decides how far it is trusted.
 * `host` is the program around the agent (reminders, attachments), `engine` is this library.
 */
export type Origin = "user" | "assistant" | "tool" | "host" | "engine" | "restored" | "recalled" | "summary";

/**
 * One message as a host hands it over. Only `role` and `content` are needed; the rest makes pairing,
 * trust and matching exact where the host knows it.
 */
export interface Message {
  readonly role: Role;
  /** What was said; results of tools stand in a user message and lead it. */
  readonly content: readonly ContentBlock[];
  /** Who is behind it; from role and content, where it is left out. */
  readonly origin?: Origin;
  /** Chunks with the same response id are one assistant turn and stay together. */
  readonly responseId?: string;
  /** The model that answered, of an assistant message. */
  readonly model?: string;
  /** The host's own id of the message, by which `reconcile` finds it again. */
  readonly hostId?: string;
  /** When it was said, in milliseconds since the epoch. */
  readonly at?: number;
  /** The answer was cut off: what is finished is kept, the rest is not shown. */
  readonly interrupted?: boolean;
}

/** What the provider reported for one call, in tokens. Fields are disjoint: the prompt is the sum of the first three. */
export interface Usage {
  /** Prompt tokens that were neither read from the cache nor written to it. */
  readonly inputTokens: number;
  /** Prompt tokens read from the cache; 0 where the provider has none. */
  readonly cacheReadTokens: number;
  /** Prompt tokens written to the cache; 0 where the provider does not bill them apart. */
  readonly cacheWriteTokens: number;
  /** The answer, reasoning included. */
  readonly outputTokens: number;
}

/** Size of the prompt that was sent, in tokens: new, read from the cache, written to it. */
export function promptTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** What several calls cost together. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (field: keyof Usage): number => usages.reduce((total, usage) => total + usage[field], 0);
  return {
    inputTokens: sum("inputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    outputTokens: sum("outputTokens"),
  };
}

/** The origin that a message has when its host did not say. */
export function defaultOrigin(message: Pick<Message, "role" | "content">): Origin {
  if (message.role === "assistant") return "assistant";
  if (message.role === "system") return "host";
  return message.content.some((block) => block.type === "tool_result") ? "tool" : "user";
}
