/**
 * The HTTP side of a worker: who may ask, how much, and for how long.
 *
 * A request without the token learns nothing and costs nothing: its body is not read.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { OptionError } from "palimpsest";
import { errorMessage, parseRemoteRequest, REMOTE_LIMITS } from "palimpsest/internal";
import { tokenCheck } from "../command-line/token-file.ts";
import { problem, type WorkerTasks } from "./worker-tasks.ts";

/** A request that is not complete after this time is dropped, in milliseconds. */
const REQUEST_MS = 10_000;
/** Connections at the same time; a client needs two. */
const CONNECTIONS_COUNT = 32;

/** A server that listens. */
interface WorkerServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the tasks. @throws `OptionError` where the address cannot be used */
export async function serveWorker(
  tasks: WorkerTasks,
  { host, port, token }: { readonly host: string; readonly port: number; readonly token: string },
): Promise<WorkerServer> {
  const isAllowed = tokenCheck(token);
  const answerTo = async (request: IncomingMessage) => {
    if (!isAllowed(request.headers.authorization)) return problem(401, "The token is missing or wrong.");
    const body = await readBody(request);
    if (body === undefined) return problem(413, `A request has ${REMOTE_LIMITS.messageBytes} bytes at most.`);
    const parsed = parseRemoteRequest(request.method ?? "", request.url ?? "", body);
    return parsed === undefined
      ? problem(400, "This is not a request of the protocol.")
      : tasks.answer(parsed);
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      answerTo(request).then(
        ({ status, body }) => {
          // The rest of a refused body is not read.
          const close = status === 401 || status === 413 ? { connection: "close" } : {};
          response.writeHead(status, { "content-type": "application/json", ...close }).end(body);
        },
        // The client is gone.
        () => response.destroy(),
      );
    },
  );
  server.maxConnections = CONNECTIONS_COUNT;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const message = `The worker cannot listen on port ${port} of ${host}: ${errorMessage(error)}.`;
      reject(new OptionError({ message, hint: "Give another --port or --host.", cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body as text; `undefined` if it is longer than the limit. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += (piece as Buffer).length;
    if (bytes > REMOTE_LIMITS.messageBytes) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString("utf8");
}
