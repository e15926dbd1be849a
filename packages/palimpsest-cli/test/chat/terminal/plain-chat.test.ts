/** `palimpsest chat` without a terminal: lines in, plain text out. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { callTool } from "palimpsest-testing";
import { expect, it } from "vitest";
import { runCli } from "#program/program.ts";
import { cliDouble } from "../../../../../test/helpers/cli-double.ts";
import { chatPlace, modelOptions } from "../chat-double.ts";

it("takes messages and commands as lines, denies what needs a person, and says so in plain text", async () => {
  const place = await chatPlace([
    callTool("shell", { command: "touch made" }),
    "I may not \u001b[31mrun\u001b[0m commands.",
  ]);
  const context = cliDouble({ folder: place.folder, env: place.env });
  const stdin = Object.assign(Readable.from(["Make a file.\n", "/contxt\n/context\n", "/quit\nnever\n"]), {
    isTTY: false,
  });
  const args = ["chat", ...modelOptions("compatible", place)];
  expect(await runCli(args, { ...context, stdin }, "1.2.3")).toBe(0);
  const { out } = context.written;
  expect(out).toMatch(/failed: shell touch made\n {2}not allowed: it needs permission/);
  expect(out).toContain("I may not run commands.");
  expect(out).toContain("There is no command /contxt.");
  expect(out).toMatch(/█ system prompt +\d/);
  expect(out).not.toContain("\u001b");
  expect(out).not.toContain("never");
  expect(place.provider.violations).toEqual([]);
  await place.provider.close();
});

it.each([
  { lines: "One.\n", code: 1, why: "the only turn failed" },
  { lines: "One.\nTwo.\n", code: 0, why: "the newest turn was answered" },
])("ends with $code if $why", async ({ lines, code }) => {
  const place = await chatPlace([{ fault: "bad-request", message: "No." }, "Here."]);
  const context = cliDouble({ folder: place.folder, env: place.env });
  const stdin = Object.assign(Readable.from([lines]), { isTTY: false });
  expect(await runCli(["chat", ...modelOptions("compatible", place)], { ...context, stdin }, "1.2.3")).toBe(
    code,
  );
  await place.provider.close();
});

it("sends the words after the command as the first message", async () => {
  const place = await chatPlace(({ lastUserText }) => lastUserText.split("\n").at(-1)!.toUpperCase());
  const context = cliDouble({ folder: place.folder, env: place.env });
  const stdin = Object.assign(Readable.from(["and you?\n"]), { isTTY: false });
  const args = ["chat", "how", "are you?", ...modelOptions("compatible", place)];
  expect(await runCli(args, { ...context, stdin }, "1.2.3")).toBe(0);
  expect(context.written.out).toBe("HOW ARE YOU?\nAND YOU?\n");
  await place.provider.close();
});

/**
 * A server as Ollama is one: a list of its models, those that are loaded with their windows, and Chat Completions, which
 * the scripted provider speaks.
 */
async function localServer(openAiUrl: string): Promise<Server & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/api/")) {
      const loaded = { models: [{ name: "qwen3:latest", context_length: 64_000 }] };
      response.end(JSON.stringify(request.url === "/api/ps" ? loaded : { done: true }));
      return;
    }
    if (request.method === "GET") {
      response.end(JSON.stringify({ object: "list", data: [{ id: "qwen3", object: "model" }] }));
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    const headers = { "content-type": "application/json" };
    const path = (request.url ?? "").replace(/^\/v1/, "");
    const answer = await fetch(`${openAiUrl}${path}`, { method: "POST", headers, body });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

it("finds the model of a local server by itself, as the README says", async () => {
  const place = await chatPlace(["Hello from this machine."]);
  const server = await localServer(place.provider.openAiUrl);
  const env = { PALIMPSEST_HOME: place.home, OLLAMA_HOST: server.url };
  const context = cliDouble({ folder: place.folder, env });
  const stdin = Object.assign(Readable.from(["Hello\n"]), { isTTY: false });
  const code = await runCli(["chat"], { ...context, stdin }, "1.2.3");
  expect([code, context.written]).toEqual([0, { out: "Hello from this machine.\n", err: "" }]);
  expect(place.provider.requests.map(({ body }) => (body as { readonly model: string }).model)).toEqual([
    "qwen3",
  ]);
  server.close();
  await place.provider.close();
});
