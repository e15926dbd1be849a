/** Answers of providers, on the way to the vendors' SDKs. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { eventLines } from "#chat/models/event-lines.ts";
import { providerFetch } from "#chat/models/provider-fetch.ts";

/** The pieces that come out when these go in. */
async function passed(pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const out: string[] = [];
  for await (const piece of source.pipeThrough(eventLines())) out.push(Buffer.from(piece).toString("latin1"));
  return out;
}

const inPieces = (text: string, size: number): readonly Uint8Array[] => {
  const bytes = Buffer.from(text, "latin1");
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
};

it.each([
  {
    sent: ": ping\n\ndata: a\n: ping\ndata: b\n\n",
    read: "\ndata: a\ndata: b\n\n",
    why: "comments are left out",
  },
  {
    sent: "data: a\r\n: x\r\ndata: b\r\n\r\n",
    read: "data: a\r\ndata: b\r\n\r\n",
    why: "with the ends of Windows",
  },
  { sent: "data: a\r: x\rdata: b\r\r", read: "data: a\rdata: b\r\r", why: "with carriage returns" },
  {
    sent: "id: 1\nretry: 5\nfoo\nevent: e\ndata\n\n",
    read: "event: e\ndata\n\n",
    why: "fields that no SDK reads",
  },
  { sent: "\xef\xbb\xbfdata: a\n\n", read: "\xef\xbb\xbfdata: a\n\n", why: "a byte order mark is first" },
  {
    sent: "data: \xe2\x80\xa8: a\xff\n\n",
    read: "data: \xe2\x80\xa8: a\xff\n\n",
    why: "bytes stay as they are",
  },
  { sent: "data: a\n\ndata: b", read: "data: a\n\ndata: b", why: "the last line has no end" },
])("passes on what is read, wherever the pieces end: $why", async ({ sent, read }) => {
  for (const size of [1, 2, 3, 5, sent.length])
    expect([size, (await passed(inPieces(sent, size))).join("")]).toEqual([size, read]);
});

it("passes on a line that arrives in many pieces once, whole", async () => {
  const line = `data: ${"x".repeat(100_000)}\n`;
  expect(await passed(inPieces(line, 1_000))).toEqual([line]);
});

it("an answer of comments reaches the SDK as an answer without any, and other answers as they are", async () => {
  const text = ": still here\n\n".repeat(1_000);
  const server = createServer((request, response) => {
    const type = request.url === "/events" ? "text/event-stream; charset=utf-8" : "text/plain";
    response.writeHead(200, { "content-type": type }).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await (await providerFetch(`${url}/events`)).text()).trim()).toBe("");
  expect(await (await providerFetch(`${url}/plain`)).text()).toBe(text);
  server.close();
});

it("a refusal is passed on as it is, also where the server calls it a stream of events", async () => {
  const text = JSON.stringify({ error: { message: "prompt is too long" } }, undefined, 2);
  const server = createServer((_, response) => {
    response.writeHead(400, { "content-type": "text/event-stream" }).end(`${text}\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await (await providerFetch(url)).text()).toBe(`${text}\n`);
  server.close();
});

it("a line that ends with a carriage return is passed on as soon as the next one begins", async () => {
  const lines = ["data: a\r", "\r", "data: b\r", "\r"];
  const passedOn = await passed(lines.map((line) => Buffer.from(line)));
  expect(passedOn).toEqual(lines);
});

it("a refusal without an end is not read on", async () => {
  const server = createServer((_, response) => {
    response.on("error", () => undefined).writeHead(500);
    const more = (): void =>
      void (!response.destroyed && response.write("x".repeat(100_000), () => setImmediate(more)));
    more();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect((await providerFetch(url)).text()).rejects.toThrow("has no end");
  server.closeAllConnections();
  server.close();
});
