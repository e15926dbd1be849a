/**
 * Replies in the two forms in which they leave: one JSON text, or the events of a stream.
 */
import type { Reply } from "./dialect.ts";

/** A JSON text. */
export function jsonReply(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    frames: [JSON.stringify(body)],
  };
}

/** The page of a server in front of the API. */
export function htmlReply(status: number, title: string): Reply {
  return {
    status,
    headers: { "content-type": "text/html" },
    frames: [
      `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n` +
        "<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n",
    ],
  };
}

/** A stream of events. */
export function streamReply(
  frames: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...headers },
    frames,
  };
}
