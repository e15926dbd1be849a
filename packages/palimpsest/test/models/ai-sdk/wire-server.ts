/**
 * A server on the loopback interface that answers with given bytes: what real SDKs are let
 * loose on here.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The answer to one request. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole body, or the pieces of a stream in order. */
  readonly body?: string | readonly string[];
  /** The end after the body: the connection breaks, or nothing ever comes. */
  readonly after?: "cut" | "hang";
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers in order, the last again and again. */
export class WireServer {
  readonly requests: SeenRequest[] = [];
  replies: readonly Reply[] = [];
  /** Called when a piece of a body has been written. */
  onWritten: () => void = () => undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<WireServer> {
    const server = new WireServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString("utf8");
    this.requests.push({
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? {} : JSON.parse(text),
    });
    const reply = this.replies[Math.min(this.requests.length, this.replies.length) - 1] ?? { status: 500 };
    const { status = 200, headers = {}, body = "", after } = reply;
    if (after === "hang" && body === "") return;
    const isStream = typeof body !== "string";
    const type = isStream ? "text/event-stream" : "application/json";
    response.writeHead(status, {
      "content-type": type,
      "request-id": "req_1",
      "x-request-id": "req_1",
      ...headers,
    });
    for (const piece of isStream ? body : [body])
      await new Promise<void>((resolve) =>
        response.write(piece, () => {
          this.onWritten();
          resolve();
        }),
      );
    if (after === "cut") response.destroy();
    else if (after === undefined) response.end();
  }
}
