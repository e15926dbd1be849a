/**
 * One HTTP request and its reply: reads a body within its limit, writes frame by frame, and can break off or
 * hang wherever a fault asks for it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Reply } from "./dialect/dialect.ts";
import { PROVIDER_FACTS } from "./dialect/provider-facts.ts";

/** A body, or why there is none. */
type ReadBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "gone" };

/**
 * Reads a body. A body that is too large is read on without being kept, so that the client sees its refusal;
 * a much larger one is not.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > maxBytes * PROVIDER_FACTS.drainedBodies) return { kind: "too-large" };
    }
  } catch {
    // The client went away before its request was complete.
    return { kind: "gone" };
  }
  return bytes > maxBytes
    ? { kind: "too-large" }
    : { kind: "text", text: Buffer.concat(chunks).toString("utf8") };
}

/** The place at which a reply stops before its end. */
export interface BreakPoint {
  /** Frames that are sent whole. */
  readonly afterFrames: number;
  /** `cut`: half of the next one, and the connection breaks. `hang`: nothing more, until the client goes away. */
  readonly kind: "cut" | "hang";
}

/** Sends a reply. Resolves once all of it is written, or the client has gone: `false`. */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  breakPoint?: BreakPoint,
): Promise<boolean> {
  const isWhole = reply.frames.length === 1;
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(isWhole ? { "content-length": String(Buffer.byteLength(reply.frames[0]!)) } : {}),
  });
  const frameCount = Math.min(breakPoint?.afterFrames ?? reply.frames.length, reply.frames.length);
  for (const frame of reply.frames.slice(0, frameCount)) {
    if (response.destroyed) return false;
    if (!response.write(frame)) await drained(response);
  }
  if (breakPoint === undefined) {
    if (response.destroyed) return false;
    await new Promise<void>((resolve) => response.end(resolve).once("close", resolve));
    return response.writableFinished;
  }
  if (breakPoint.kind === "hang") {
    response.flushHeaders();
    await gone(response);
    return false;
  }
  const rest = reply.frames[frameCount] ?? "";
  await new Promise<void>((resolve) => {
    response.write(rest.slice(0, Math.floor(rest.length / 2)), () => resolve());
    response.once("close", resolve);
  });
  response.destroy();
  return false;
}

/** Resolves when the client has gone. */
export async function gone(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => response.once("close", resolve));
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}
