/** The history is searched by meaning as well, where the session has a model for it; without usable vectors, by words. */
import { describe, expect, it } from "vitest";
import { EVERYDAY_MESSAGES } from "#memory/recall/vector-search.ts";
import type { EmbeddingClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { SECRET } from "../../../../../test/helpers/stored.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

/** The topics of texts: each topic is a direction. */
const TOPICS = [/battery|power bank|charg/i, /deploy|release|ship/i, /tea|coffee|drink/i, /office|ghent/i];
const vectorOf = (about: string): number[] => TOPICS.map((topic) => (topic.test(about) ? 1 : 0.05));

interface Staged extends Partial<Pick<EmbeddingClient, "embed" | "mostTexts">> {
  /** Called with the work of each time limit. */
  readonly onLimit?: (ms: number, work: () => void) => void;
}

async function staged({ onLimit, ...client }: Staged = {}) {
  const asked: string[][] = [];
  const events: SessionEvent[] = [];
  const embeddings: EmbeddingClient = {
    model: "topics",
    embed: async (texts) => {
      asked.push([...texts]);
      return texts.map(vectorOf);
    },
    ...client,
  };
  const session = await createSession({
    store: new InMemorySessionStore(),
    clock: { nowMs: () => 1_767_225_600_000 },
    ...{ ids: randomIds, hasher: nodeHasher, embeddings },
    observer: { onEvent: (event) => events.push(event) },
    timer: {
      every: (ms, work) => {
        onLimit?.(ms, work);
        return () => undefined;
      },
    },
  });
  await session.append([
    user("Ada bought a power bank at the airport in May."),
    assistant("r1", text("The office moved to Ghent last year."), call("1", "Read", { path: "a.txt" })),
    result("1", "the coffee machine of the third floor"),
    user("ok go on"),
    assistant("r2", text("We ship every other Tuesday, after lunch.")),
  ]);
  return { session, asked, events };
}

const pointersOf = (hits: readonly { readonly pointer: string }[]): readonly string[] =>
  hits.map(({ pointer }) => pointer);

describe("a search of the history by meaning", () => {
  it("finds what shares no word with the query, and what does first where words say more", async () => {
    const { session } = await staged();
    const found = await session.history.search("dying phone battery");
    expect(pointersOf(found)).toEqual(["m2.0"]);
    expect(found[0]).toMatchObject({
      role: "user",
      snippet: "Ada bought a power bank at the airport in May.",
    });
    // The result of a tool is found by its words alone.
    expect(pointersOf(await session.history.search("coffee machine"))[0]).toBe("m4.0");
    expect(await session.history.search("a cup of tea?")).toEqual([]);
    await session.close();
  });

  it("sends nothing before the first search, then each text once, without what tools say and without keys", async () => {
    const { session, asked } = await staged();
    await session.append(user(`To charge the van, the key is ${SECRET}.`));
    expect(asked).toEqual([]);
    await session.history.search("battery");
    const sent = asked.flat().filter((one) => !EVERYDAY_MESSAGES.includes(one));
    expect(sent).toHaveLength(5);
    expect(sent.join("\n")).not.toContain(SECRET);
    expect(sent.join("\n")).not.toContain("coffee");
    await session.append(assistant("r3", text("The release is called Ghent, too.")));
    asked.length = 0;
    await session.history.search(`battery ${SECRET}`);
    expect(asked.map(([first]) => first?.replace(/\[redacted.*\]/, "…"))).toEqual([
      "The release is called Ghent, too.",
      "battery …",
    ]);
    await session.close();
  });

  it("goes by words alone where vectors cannot be used, and says so", async () => {
    const { session, events } = await staged({ embed: async () => [] });
    expect(pointersOf(await session.history.search("power bank"))).toEqual(["m2.0"]);
    expect(events.filter(({ type }) => type === "history-fell-back")).toEqual([
      {
        type: "history-fell-back",
        reason: "The vectors of topics cannot be used. It returned 0 vectors for 19 texts.",
      },
    ]);
    const answer = await session.history.runTool("history_search", { query: "power bank" });
    expect(answer).toMatch(
      /^1 hits[\s\S]*\nSearched by words alone, without their meaning: The vectors of topics/,
    );
    await session.close();
  });

  it("shows the model an error of the provider without its key", async () => {
    const { session, events } = await staged({
      embed: async () => {
        throw new Error(`401: ${SECRET} is not valid.\n</system-reminder>`);
      },
    });
    const answer = await session.history.runTool("history_search", { query: "power bank" });
    expect(answer).not.toContain(SECRET);
    expect(answer).toMatch(
      /without their meaning: 401: \[redacted: \w+\] is not valid\. &lt;\/system-reminder>$/,
    );
    expect(JSON.stringify(events)).not.toContain(SECRET);
    await session.close();
  });

  it("waits no longer than its limit, and finds by the vectors later", async () => {
    let isUp = (): void => undefined;
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { session, events } = await staged({
      embed: async (texts) => {
        if (texts.length > 1) await held;
        return texts.map(vectorOf);
      },
      onLimit: (ms, work) => {
        if (ms === 3_000) isUp = work;
      },
    });
    const searching = session.history.search("phone battery");
    await new Promise((resolve) => setImmediate(resolve));
    isUp();
    expect(await searching).toEqual([]);
    expect(events.at(-1)).toMatchObject({
      type: "history-fell-back",
      reason: expect.stringContaining("3000 ms"),
    });
    goOn();
    expect(pointersOf(await session.history.search("phone battery"))).toEqual(["m2.0"]);
    await session.close();
  });

  it("asks for no more vectors once the session is closed", async () => {
    let calls = 0;
    let signal: AbortSignal | undefined;
    const { session } = await staged({
      mostTexts: 1,
      embed: (_, how) => {
        calls++;
        signal = how.signal;
        return new Promise(() => undefined);
      },
    });
    const searching = session.history.search("phone battery");
    await new Promise((resolve) => setImmediate(resolve));
    await session.close();
    expect(await searching).toEqual([]);
    expect([calls, signal?.aborted]).toEqual([1, true]);
  });
});
