/**
 * Providers in the dialects that they really speak, with the whole command: servers on this machine (Ollama, LM Studio, vLLM),
 * providers of the AI SDK from the settings, and an MCP server over HTTP.
 */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { callTool } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { openChat } from "#chat/agent/open-chat.ts";
import { runCli } from "#program/program.ts";
import { cliDouble } from "../../../../../test/helpers/cli-double.ts";
import { type ChatPlace, chatPlace, runChat, runForResult } from "../chat-double.ts";

type Frame = Readonly<Record<string, unknown>>;

/** A server of this dialect, and the bodies that it got. Close it. */
async function dialectServer(
  models: readonly object[],
  answers: readonly (readonly Frame[])[],
  running?: readonly object[],
) {
  const bodies: { readonly messages: readonly Frame[] }[] = [];
  const server: Server = createServer(async (request, response) => {
    // Ollama's own API beside that of OpenAI.
    if (request.url === "/api/generate") {
      response.end(JSON.stringify({ done: true, done_reason: "load" }));
      return;
    }
    if (request.url === "/api/ps" && running !== undefined) {
      response.end(JSON.stringify({ models: running }));
      return;
    }
    if (request.method === "GET") {
      response.end(JSON.stringify({ object: "list", data: models }));
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    bodies.push(JSON.parse(Buffer.concat(pieces).toString()) as (typeof bodies)[number]);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of answers[bodies.length - 1] ?? [])
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const chunk = (delta: object, finish: string | null = null): Frame => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const usage = (prompt: number): Frame => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [] },
  usage: { prompt_tokens: prompt, completion_tokens: 5, total_tokens: prompt + 5 },
});
const READ = JSON.stringify({ path: "a.txt" });

const DIALECTS = [
  {
    name: "Ollama: whole calls in one piece, `stop` as their reason, thinking as `reasoning`, no usage",
    models: [{ id: "qwen3", object: "model", owned_by: "library" }],
    answers: [
      [
        chunk({ role: "assistant", content: "", reasoning: "I look." }),
        chunk({
          ...{ role: "assistant", content: "" },
          tool_calls: [
            { id: "call_1", index: 0, type: "function", function: { name: "read", arguments: READ } },
          ],
        }),
        chunk({ role: "assistant", content: "" }, "stop"),
      ],
      [
        chunk({ role: "assistant", content: "It says hello." }),
        chunk({ role: "assistant", content: "" }, "stop"),
      ],
    ],
  },
  {
    name: "vLLM: calls in pieces, thinking as `reasoning_content`, usage in a last piece without choices",
    models: [{ id: "qwen3", object: "model", owned_by: "vllm", max_model_len: 32_768 }],
    answers: [
      [
        chunk({ role: "assistant", content: "" }),
        chunk({ reasoning_content: "I " }),
        chunk({ reasoning_content: "look." }),
        chunk({
          tool_calls: [{ id: "chatcmpl-tool-1", type: "function", index: 0, function: { name: "read" } }],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: READ.slice(0, 8) } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: READ.slice(8) } }] }),
        chunk({}, "tool_calls"),
        usage(900),
      ],
      [
        chunk({ role: "assistant", content: "It says " }),
        chunk({ content: "hello." }),
        chunk({}, "stop"),
        usage(950),
      ],
    ],
  },
  {
    name: "LM Studio: ids that are numbers, a window that is loaded, and no reason for the end but `stop`",
    models: [{ id: "qwen3", object: "model", loaded_context_length: 16_384, max_context_length: 131_072 }],
    answers: [
      [
        chunk({
          role: "assistant",
          tool_calls: [
            { index: 0, id: "365174485", type: "function", function: { name: "read", arguments: "" } },
          ],
        }),
        chunk({ tool_calls: [{ index: 0, type: "function", function: { arguments: READ } }] }),
        chunk({}, "tool_calls"),
      ],
      [chunk({ role: "assistant", content: "It says hello." }), chunk({}, "stop")],
    ],
  },
];

describe("a server on this machine", () => {
  it.each(DIALECTS)("in the dialect of $name", async ({ models, answers }) => {
    const place = await chatPlace([], { files: { "a.txt": "hello\n" } });
    const { server, bodies, url } = await dialectServer(models, answers);
    const ran = await runForResult(place, ["-p", "What does it say?", "--base-url", `${url}/v1`]);
    expect(ran).toMatchObject({ result: "It says hello.", subtype: "success", num_turns: 2 });
    // The call and its result go back as the server knows them; thinking does not.
    const [call, result] = (bodies[1]?.messages ?? []).slice(-2);
    expect(call).toMatchObject({
      role: "assistant",
      tool_calls: [{ function: { name: "read", arguments: READ } }],
    });
    expect(result).toMatchObject({ role: "tool", content: expect.stringContaining("hello") });
    expect((call?.["tool_calls"] as readonly Frame[])[0]?.["id"]).toBe(result?.["tool_call_id"]);
    server.close();
    await place.provider.close();
  });

  it.each([
    { contextLength: 65_536, code: 0, says: /^$/ },
    {
      contextLength: 4_096,
      code: 1,
      says: /^Ollama gives qwen3 a window of 4096 tokens.+\n?WINDOW_TOO_SMALL/s,
    },
  ])("of Ollama cuts prompts at $contextLength tokens, which is the window", async (one) => {
    const place = await chatPlace([]);
    const running = [{ name: "qwen3:latest", context_length: one.contextLength }];
    const { server, bodies, url } = await dialectServer(
      DIALECTS[0]?.models ?? [],
      [[chunk({ role: "assistant", content: "Hello." }), chunk({}, "stop")]],
      running,
    );
    const env = { OLLAMA_HOST: url, ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" };
    const ran = await runChat(place, ["-p", "Hello"], { env });
    expect({ code: ran.code, err: ran.err }).toEqual({
      code: one.code,
      err: expect.stringMatching(one.says),
    });
    expect(bodies.length).toBe(one.code === 0 ? 1 : 0);
    server.close();
    await place.provider.close();
  });

  it("of Ollama says once that a window is small, however many sessions ask", async () => {
    const place = await chatPlace([]);
    const running = [{ name: "qwen3:latest", context_length: 4_096 }];
    const { server, url } = await dialectServer(DIALECTS[0]?.models ?? [], [], running);
    const notices: string[] = [];
    const agent = await openChat({
      ...{ env: { PALIMPSEST_HOME: place.home, OLLAMA_HOST: url }, folder: place.folder, version: "1" },
      ...{ model: "ollama:qwen3", session: { from: "new" } },
      onEvent: (event) => {
        if (event.type === "notice") notices.push(event.text);
      },
    });
    await agent.send("Hello");
    await agent.setModel("ollama:qwen3");
    await agent.send("Hello");
    expect(notices).toEqual([expect.stringContaining("a window of 4096 tokens")]);
    await agent.close();
    server.close();
    await place.provider.close();
  });
});

const settings = (place: ChatPlace, chat: object): void =>
  writeFileSync(join(place.home, "settings.json"), JSON.stringify({ chat }));

describe("providers of the AI SDK, from the settings", () => {
  it.each([
    { package: "@ai-sdk/openai-compatible", model: "mine:some-model", address: "openAiUrl" },
    { package: "@ai-sdk/openai", model: "mine:gpt-5.5", address: "openAiUrl" },
    { package: "@ai-sdk/anthropic", model: "mine:claude-opus-5-5", address: "url" },
  ] as const)("by $package: a tool runs, and the vendor accepts every request", async (one) => {
    const place = await chatPlace([callTool("read", { path: "a.txt" }), "It says hello."], {
      files: { "a.txt": "hello\n" },
    });
    const address = place.provider[one.address];
    const baseUrl = one.address === "url" ? `${address}/v1` : address;
    settings(place, {
      providers: { mine: { api: "ai-sdk", package: one.package, baseUrl, keyVariable: "OPENAI_API_KEY" } },
    });
    const { code, out, err } = await runChat(place, ["-p", "What does it say?", "--model", one.model]);
    expect({ code, out, err }).toEqual({ code: 0, out: "It says hello.\n", err: "" });
    expect(place.provider.violations).toEqual([]);
    expect(place.provider.requests.length).toBe(2);
    await place.provider.close();
  });
});

it("finds and calls tools of an MCP server over HTTP with a token, and of none before they are asked for", async () => {
  const place = await chatPlace([
    callTool("mcp_find", { query: "remember a fact" }),
    callTool("mcp_call", { name: "facts.memory_remember", input: { text: "The gauge is 1435 mm." } }),
    "I kept it.",
  ]);
  const token = join(place.home, "token");
  writeFileSync(token, "a-token-of-thirty-two-characters", { mode: 0o600 });
  const stop = new AbortController();
  const served = cliDouble({ folder: place.folder, env: place.env });
  const server = runCli(
    ["mcp", "--http", "0", "--token-file", token, "--folder", join(place.home, "facts")],
    { ...served, signal: stop.signal },
    "1.2.3",
  );
  const address = (): string | undefined =>
    /http:\/\/127\.0\.0\.1:\d+\S*/.exec(served.written.out + served.written.err)?.[0];
  await expect.poll(address).toBeDefined();
  const headers = { authorization: `Bearer ${readFileSync(token, "utf8")}` };
  settings(place, { mcpServers: { facts: { url: address(), headers } } });
  const { code, out } = await runChat(place, ["-p", "Keep it.", "--allowed-tools", "mcp(facts.*)"]);
  expect({ code, out }).toEqual({ code: 0, out: "I kept it.\n" });
  const results = JSON.stringify(place.provider.requests.at(-1)?.body);
  expect(results).toContain("facts.memory_remember");
  expect(results).toMatch(/created|added|kept|stored/);
  stop.abort();
  await server;
  await place.provider.close();
});
