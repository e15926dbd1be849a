/**
 * Which API a path belongs to, and what is asked for there.
 */
import type { IncomingMessage } from "node:http";
import { ANTHROPIC_DIALECT } from "./anthropic/anthropic-dialect.ts";
import type { Dialect } from "./dialect/dialect.ts";
import { CHAT_DIALECT, RESPONSES_DIALECT } from "./openai/openai-dialects.ts";
import type { RequestPurpose } from "./script/script.ts";

/** Destination of a request. */
export interface Route {
  readonly dialect: Dialect;
  /** Absent where no one listens at that path. */
  readonly purpose?: RequestPurpose;
  /** The model that a path names. */
  readonly model?: string;
}

const POSTS: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/v1/messages", { dialect: ANTHROPIC_DIALECT, purpose: "answer" }],
  ["/v1/messages/count_tokens", { dialect: ANTHROPIC_DIALECT, purpose: "count" }],
  ["/v1/chat/completions", { dialect: CHAT_DIALECT, purpose: "answer" }],
  ["/v1/responses", { dialect: RESPONSES_DIALECT, purpose: "answer" }],
  ["/v1/responses/compact", { dialect: RESPONSES_DIALECT, purpose: "compact" }],
  ["/v1/responses/input_tokens", { dialect: RESPONSES_DIALECT, purpose: "count" }],
]);

/** Finds the route of a request. */
export function findRoute({
  method,
  url,
  headers,
}: Pick<IncomingMessage, "method" | "url" | "headers">): Route {
  const path = (url ?? "/").split("?")[0]!;
  const isAnthropic = headers["anthropic-version"] !== undefined || headers["x-api-key"] !== undefined;
  const dialect = isAnthropic ? ANTHROPIC_DIALECT : CHAT_DIALECT;
  if (method === "POST") return POSTS.get(path) ?? { dialect };
  const model = method === "GET" ? /^\/v1\/models\/([^/]+)$/.exec(path)?.[1] : undefined;
  return model === undefined ? { dialect } : { dialect, purpose: "model", model: decoded(model) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not what a client would send; the text as it came names no model anyway.
    return text;
  }
}
