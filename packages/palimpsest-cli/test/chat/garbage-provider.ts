/** A provider that answers as the scripted one does, until a test spoils an answer on its way. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Script } from "palimpsest-testing";
import { type ChatPlace, chatPlace } from "./chat-double.ts";

/** A whole answer of the scripted provider. */
export interface GoodAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The events of a stream, each with its empty line. */
  readonly events: readonly string[];
}

/** Spoils an answer: writes to the response what it likes. */
export type Spoil = (response: ServerResponse, good: GoodAnswer) => void | Promise<void>;

/** A place whose vendor is spoiled as long as `spoil` is set. */
export interface GarbagePlace extends ChatPlace {
  spoil: Spoil | undefined;
  /** Requests for answers so far. */
  asked: number;
  close(): Promise<void>;
}

/** Makes a workspace with a file, and a vendor with this script behind one that spoils. */
export async function garbagePlace(script: Script): Promise<GarbagePlace> {
  const place = await chatPlace(script, { files: { "a.txt": "hello\n" } });
  const server = createServer(async (request, response) => {
    response.on("error", () => undefined);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { url = "", method = "", headers } = request;
    const body = method === "POST" ? Buffer.concat(pieces) : null;
    const passed = Object.entries(headers).filter(([name]) =>
      /^(?:anthropic|x-api|content-type|authorization)/.test(name),
    );
    const answer = await fetch(`${place.provider.url}${url}`, {
      method,
      body,
      headers: Object.fromEntries(passed) as Record<string, string>,
    });
    const text = await answer.text();
    const good = {
      status: answer.status,
      type: answer.headers.get("content-type") ?? "",
      text,
      events: eventsOf(text),
    };
    // Counts of tokens are not answers of the model.
    const isAnswer = method === "POST" && !/count_tokens|input_tokens/.test(url);
    if (isAnswer) spoiled.asked += 1;
    if (spoiled.spoil !== undefined && isAnswer) return spoiled.spoil(response, good);
    response.writeHead(good.status, { "content-type": good.type }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const spoiled: GarbagePlace = {
    ...place,
    env: { ...place.env, ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1` },
    asked: 0,
    spoil: undefined,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await place.provider.close();
    },
  };
  return spoiled;
}

function eventsOf(text: string): readonly string[] {
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => `${event}\n\n`);
}
