/**
 * Serves MCP over HTTP on the loopback interface.
 *
 * A page in a browser of this machine can reach loopback addresses, so the headers `Host` and `Origin` are checked
 * before anything else, and a request without the token is refused before its body is read.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { OptionError } from "palimpsest";
import { tokenCheck } from "../command-line/token-file.ts";
import { type McpServerParts, protocolProblem, serverFactory } from "./mcp-server.ts";

/** The only address: other machines must not reach the memories. */
const HOST = "127.0.0.1";
/** The only path. */
const PATH = "/mcp";
/** Largest body of a request, in bytes. Our choice: far above the longest fact. */
const BODY_BYTES = 1024 * 1024;
/** A request that is not complete after this time is dropped, in milliseconds. */
const REQUEST_MS = 10_000;
/** Connections at the same time. Our choice: more than clients of one machine open, and bounded. */
const CONNECTIONS_COUNT = 2_000;

/** A server that listens. */
interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @throws `OptionError` where the port cannot be used */
export async function listenOnHttp(
  parts: McpServerParts,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<HttpServer> {
  const isAllowed = tokenCheck(token);
  const handler: McpHttpHandler = createMcpHandler(
    serverFactory({ ...parts, onChanged: () => handler.notify.resourcesChanged() }),
    { maxRequestBodySize: BODY_BYTES, onerror: (error) => parts.log(protocolProblem(error)) },
  );
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response, { handler, isAllowed }).catch(() => {
        // The client is gone.
        response.destroy();
      });
    },
  );
  server.maxConnections = CONNECTIONS_COUNT;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      const message = `The server cannot listen on port ${port} of ${HOST}: ${why}.`;
      reject(
        new OptionError({ message, hint: "Give another port; --http 0 takes a free one.", cause: error }),
      );
    });
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    close: async () => {
      await handler.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface Gatekeeper {
  readonly handler: McpHttpHandler;
  readonly isAllowed: (authorization: string | undefined) => boolean;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, isAllowed }: Gatekeeper,
): Promise<void> {
  const { host, origin, authorization } = request.headers;
  if (!validateHostHeader(host, localhostAllowedHostnames()).ok)
    return refuse(response, 403, "This host name is not served: use 127.0.0.1 or localhost.");
  if (!validateOriginHeader(origin, localhostAllowedOrigins()).ok)
    return refuse(response, 403, "Requests of web pages are not served.");
  if (!isAllowed(authorization)) {
    response.setHeader("www-authenticate", "Bearer");
    return refuse(response, 401, "The token is missing or wrong.");
  }
  if (request.url?.split("?", 1)[0] !== PATH) return refuse(response, 404, `The only path is ${PATH}.`);
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 413, `A request has ${BODY_BYTES} bytes at most.`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answered = await handler.fetch(webRequest(request, body, gone.signal));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) response.end();
  else await pipeline(Readable.fromWeb(answered.body as ReadableStream), response);
}

function webRequest(
  { method = "GET", rawHeaders }: IncomingMessage,
  body: Buffer,
  signal: AbortSignal,
): Request {
  const names = rawHeaders.flatMap((text, index) =>
    index % 2 === 0 ? [[text, rawHeaders[index + 1] ?? ""]] : [],
  );
  const hasBody = body.length > 0 && method !== "GET" && method !== "HEAD";
  return new Request(`http://${HOST}${PATH}`, {
    method,
    headers: new Headers(names as [string, string][]),
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

/** The rest of a refused body is not read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { "content-type": "application/json", connection: "close" })
    .end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}

/** The body; `undefined` if it is longer than the limit. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += (piece as Buffer).length;
    if (bytes > BODY_BYTES) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
