/**
 * A provider that sends garbage: the command says clearly what is wrong, or tries again; it never hangs or crashes, and the
 * session goes on afterwards with a history that the vendor accepts.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { callTool, type ScriptStep, say } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { openChat } from "#chat/agent/open-chat.ts";
import { messageOf } from "#chat/base/values.ts";
import { runCli } from "#program/program.ts";
import { modelOptions, type Ran, runChat, stoppable, WIRES, type Wire } from "./chat-double.ts";
import { type GarbagePlace, garbagePlace, type Spoil } from "./garbage-provider.ts";

const SSE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
const HTML = "<!DOCTYPE html><html><body><h1>It works!</h1>\u001b[31m</body></html>";

/** Once spoiled, then as it should be. */
const onceSpoiled = (place: GarbagePlace, spoil: Spoil): void => {
  place.spoil = (response, good) => {
    place.spoil = undefined;
    return spoil(response, good);
  };
};

const optionsOf = (wire: Wire, place: GarbagePlace): readonly string[] =>
  wire === "compatible"
    ? ["--model", "local-model", "--base-url", place.env["OPENAI_BASE_URL"] ?? ""]
    : modelOptions(wire, place);

const run = (wire: Wire, place: GarbagePlace, prompt: string, ...more: readonly string[]): Promise<Ran> =>
  runChat(place, ["-p", prompt, ...optionsOf(wire, place), ...more]);

/** The session goes on, and the vendor accepts its history, which begins with the first prompt. */
async function goesOn(wire: Wire, place: GarbagePlace): Promise<void> {
  place.spoil = undefined;
  expect(await run(wire, place, "And now?", "--continue")).toMatchObject({ code: 0, out: "I go on.\n" });
  expect(place.provider.violations).toEqual([]);
  expect(JSON.stringify(place.provider.requests.at(-1)?.body)).toContain("Begin.");
}

const goOn: ScriptStep = "I go on.";

/** Answers that are whole, and that no client can read. */
const UNREADABLE: readonly (readonly [what: string, spoil: Spoil])[] = [
  [
    "an answer that is not JSON",
    (response) => void response.writeHead(200, JSON_TYPE).end('{"id": "msg_1", "content": [{'),
  ],
  ["a page of HTML", (response) => void response.writeHead(200, { "content-type": "text/html" }).end(HTML)],
  ["an empty answer", (response) => void response.writeHead(200, SSE).end()],
  [
    "a stream of events that are not JSON",
    (response) => void response.writeHead(200, SSE).end("data: {oops\n\ndata: }\n\n"),
  ],
  [
    "a stream of another kind",
    (response) => void response.writeHead(200, SSE).end('event: hello\ndata: {"hello": [1, null]}\n\n'),
  ],
  ["JSON of another shape", (response) => void response.writeHead(200, JSON_TYPE).end("[null, 7]")],
  // The vendors' clients look through all that came at every piece of it, so ten times as much takes minutes.
  [
    "a megabyte on one line",
    (response) => void response.writeHead(200, SSE).end(`data: ${"x".repeat(1_000_000)}\n\n`),
  ],
  ["a megabyte without a line", (response) => void response.writeHead(200, SSE).end("x".repeat(1_000_000))],
  [
    "bytes that are not UTF-8",
    (response) => void response.writeHead(200, SSE).end(Buffer.alloc(1_000, 0xfe)),
  ],
];

/** Takes a turn without waits between attempts; its result, or the words of its failure. */
async function turn(
  wire: Wire,
  place: GarbagePlace,
): Promise<{ readonly text?: string; readonly failure?: string; readonly asked?: number }> {
  const [, model, , baseUrl] = optionsOf(wire, place);
  let failure: string | undefined;
  const agent = await openChat({
    ...{ env: place.env, folder: place.folder, session: { from: "new" }, version: "1", model, baseUrl },
    wait: async () => undefined,
    onEvent: (event) => {
      if (event.type === "turn-failed") failure = messageOf(event.error);
    },
  });
  const result = await agent.send("Begin.");
  const { asked } = place;
  await agent.close();
  return result === undefined ? { failure: failure ?? "none", asked } : { text: result.text };
}

describe.each(WIRES)("a provider that sends garbage over the %s wire", (wire) => {
  it.each(
    UNREADABLE,
  )("%s always: the turn fails with words that say so, after few attempts", async (_, spoil) => {
    const place = await garbagePlace(() => goOn);
    place.spoil = spoil;
    const { failure, asked } = await turn(wire, place);
    expect(failure).toMatch(/^The model could not be asked \((?:network|unreadable-answer|unknown)\): .{20}/);
    expect(failure?.length).toBeLessThan(1_000);
    // Six attempts, and a last one.
    expect(asked).toBeLessThan(8);
    await goesOn(wire, place);
    await place.close();
  });

  it.each(UNREADABLE)("%s once: it is asked again, and answered", async (_, spoil) => {
    const place = await garbagePlace(() => goOn);
    onceSpoiled(place, spoil);
    expect(await turn(wire, place)).toEqual({ text: "I go on." });
    await goesOn(wire, place);
    await place.close();
  });

  it("a redirect: neither the conversation nor the key goes to another server", async () => {
    const place = await garbagePlace(() => goOn);
    const other: string[] = [];
    const elsewhere = createServer((request, response) => {
      other.push(JSON.stringify(request.headers));
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1/messages`;
    for (const status of [301, 302, 307, 308]) {
      place.spoil = (response) => void response.writeHead(status, { location }).end();
      const { code, err } = await run(wire, place, "Begin.");
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(`The provider sends requests on to ${location}.`),
      ]);
    }
    expect(other).toEqual([]);
    elsewhere.close();
    await goesOn(wire, place);
    await place.close();
  });

  it("a connection that is cut after each of its events: it is asked again, and the history stays valid", async () => {
    const events = await eventsOfAnswer(wire);
    expect(events).toBeGreaterThan(4);
    for (let after = 0; after < events; after++) {
      const place = await garbagePlace(() => goOn);
      onceSpoiled(place, (response, good) => {
        response.writeHead(200, SSE);
        const half = good.events[after] ?? "";
        response.write(`${good.events.slice(0, after).join("")}${half.slice(0, half.length / 2)}`, () =>
          response.destroy(),
        );
      });
      expect([after, await turn(wire, place)]).toEqual([after, { text: "I go on." }]);
      await goesOn(wire, place);
      await place.close();
    }
  });

  it("a stream that ends early without an error: it is asked again", async () => {
    const place = await garbagePlace(() => goOn);
    onceSpoiled(
      place,
      (response, good) =>
        void response
          .writeHead(200, SSE)
          .end(good.events.slice(0, Math.ceil(good.events.length / 2)).join("")),
    );
    expect(await turn(wire, place)).toEqual({ text: "I go on." });
    await goesOn(wire, place);
    await place.close();
  });

  it("a stream without an end and without events: Ctrl-C ends it", async () => {
    const place = await garbagePlace(() => goOn);
    const context = stoppable(place);
    let sent = 0;
    place.spoil = (response) => {
      response.writeHead(200, SSE);
      const more = (): void => {
        sent += 1;
        if (sent === 500) context.stop.abort();
        if (!response.destroyed) response.write(": still here\n\n", () => setImmediate(more));
      };
      more();
    };
    const ran = await runChat(place, ["-p", "Begin.", ...optionsOf(wire, place)], { context });
    expect(ran.code).toBe(130);
    await goesOn(wire, place);
    await place.close();
  });

  it("calls with broken JSON, of unknown tools, and with one id twice: the model reads what is wrong, and goes on", async () => {
    const place = await garbagePlace([
      callTool("read", { path: "a.txt" }, "call_1"),
      [callTool("read", { path: "a.txt" }, "call_2"), callTool("read", { path: "a.txt" }, "call_2")],
      callTool("read", { path: "a.txt" }, "call_1"),
      [say("I guess."), callTool("no_such_tool", { path: "a.txt" }), callTool("", {})],
      "Begun.",
      goOn,
    ]);
    onceSpoiled(
      place,
      (response, { type, text }) =>
        void response.writeHead(200, { "content-type": type }).end(text.replaceAll('a.txt\\"}', "a.txt")),
    );
    expect(await turn(wire, place)).toEqual({ text: "Begun." });
    await goesOn(wire, place);
    await place.close();
  });

  it.each([
    ["negative", "-7"],
    ["huge", "1e300"],
    ["a text", '"many"'],
    ["nothing", "null"],
    ["a list", "[1]"],
  ])("usage that is %s: the turn ends, and its cost is not negative", async (_, figure) => {
    // Memories may be kept at the end, by one more call.
    const place = await garbagePlace(({ index, body }) =>
      JSON.stringify(body).includes("call_1") || index > 9
        ? goOn
        : callTool("read", { path: "a.txt" }, "call_1"),
    );
    place.spoil = (response, { type, text }) =>
      void response
        .writeHead(200, { "content-type": type })
        .end(text.replace(/("\w*(?:_tokens|Tokens)\w*":) ?\d+/g, `$1${figure}`));
    const { code, out } = await run(wire, place, "Begin.", "--output-format", "json");
    const result = JSON.parse(out) as { readonly total_cost_usd?: number; readonly result: string };
    expect([code, result.result]).toEqual([0, "I go on."]);
    expect(result.total_cost_usd ?? 0).toBeGreaterThanOrEqual(0);
    await goesOn(wire, place);
    await place.close();
  });
});

/** The events of the usual answer of a wire. */
async function eventsOfAnswer(wire: Wire): Promise<number> {
  const place = await garbagePlace(() => goOn);
  let count = 0;
  onceSpoiled(place, (response, { type, text, events }) => {
    count = events.length;
    response.writeHead(200, { "content-type": type }).end(text);
  });
  await turn(wire, place);
  await place.close();
  return count;
}

// All wires at once, because the command waits between its attempts.
it("an error page always: the command ends with 1, and prints no escapes", async () => {
  const ends = await Promise.all(
    WIRES.map(async (wire) => {
      const place = await garbagePlace(() => goOn);
      place.spoil = (response) => void response.writeHead(200, { "content-type": "text/html" }).end(HTML);
      const ran = await run(wire, place, "Begin.");
      await place.close();
      return ran;
    }),
  );
  for (const { code, out, err } of ends) {
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^MODEL_FAILED: The model could not be asked/m);
    expect(err).not.toContain("\u001b");
  }
});

it("the chat says what is wrong, and takes the next message", async () => {
  const place = await garbagePlace(() => goOn);
  onceSpoiled(place, (response) => void response.writeHead(400, { "content-type": "text/html" }).end(HTML));
  const context = stoppable(place);
  const stdin = Object.assign(Readable.from(["Begin.\n", "And now?\n"]), { isTTY: false });
  const code = await runCli(["chat", ...optionsOf("anthropic", place)], { ...context, stdin }, "1.2.3");
  expect(code).toBe(0);
  const { out, err } = context.written;
  expect(`${out}${err}`).toContain("The model could not be asked");
  expect(out).toMatch(/I go on\.\n$/);
  expect(`${out}${err}`).not.toContain("\u001b");
  expect(place.provider.violations).toEqual([]);
  await place.close();
});
