/**
 * The `fetch` of the vendors' SDKs. It follows no redirect: the next server would get the conversation, and keys in headers
 * that `fetch` does not know as secret. And it ends an answer that has no end, before it fills the memory.
 */
import { ModelError } from "palimpsest";
import { eventLines } from "./event-lines.ts";

/** Longest answer, in bytes. Our choice: the longest output of a model, streamed in single characters, is a tenth of it. */
const ANSWER_BYTES = 200_000_000;
/** Longest refusal, in bytes. Our choice: a page of HTML has a tenth of it. */
const REFUSAL_BYTES = 1_000_000;

/** `fetch` for an address that answers with what a model says. */
export async function providerFetch(
  input: string | URL | Request,
  options: RequestInit = {},
): Promise<Response> {
  const response = await fetch(input, { ...options, redirect: "manual" });
  const next = response.headers.get("location");
  if (response.status > 300 && response.status < 400 && next !== null) {
    await response.body?.cancel();
    return refused(response.status, next);
  }
  if (response.body === null) return response;
  const mostBytes = response.ok ? ANSWER_BYTES : REFUSAL_BYTES;
  let bytes = 0;
  const limited = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      bytes += piece.byteLength;
      if (bytes <= mostBytes) return controller.enqueue(piece);
      throw new ModelError(
        { kind: "unreadable-answer" },
        {
          message: "The provider's answer has no end.",
          hint: "Look at what stands between you and the provider.",
        },
      );
    },
  });
  const { status, statusText, headers } = response;
  const body = response.body.pipeThrough(limited);
  // Servers say so of a refusal, too, whose lines are not events.
  const isStream = response.ok && /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  return new Response(isStream ? body.pipeThrough(eventLines()) : body, { status, statusText, headers });
}

/** An answer that says in the form of the vendors why there is none. */
function refused(status: number, next: string): Response {
  const message = `The provider sends requests on to ${next.slice(0, 300)}. If that is right, name it as the address: --base-url, ANTHROPIC_BASE_URL, OPENAI_BASE_URL.`;
  const headers = { "content-type": "application/json" };
  return new Response(JSON.stringify({ error: { type: "redirected", message } }), { status, headers });
}
