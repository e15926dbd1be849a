/** Trajectories of SWE-agent: function calling, text mode, attempts, and files without a history. */
import { describe, expect, it } from "vitest";
import { SWE_AGENT } from "#test/importers/trajectory-samples.ts";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { importAs, importOneAs, recorded, reported, textsOf } from "./imported.ts";
import { PIXEL } from "./pixel.ts";

type Fields = Readonly<Record<string, unknown>>;

const STEP = { action: "ls", observation: "a.txt", response: "Look.", thought: "Look." };
const withHistory = (...history: readonly unknown[]): Fields => ({ trajectory: [STEP], history });
const read = (...history: readonly unknown[]) => importOneAs("swe-agent", withHistory(...history));

describe("a trajectory of SWE-agent", () => {
  it("has real calls and results, and leaves out what other agents said", () => {
    const session = importOneAs("swe-agent", SWE_AGENT);
    expect(session).toMatchObject({ sessionId: "issue-1", system: "Be brief.", workingCopy: "/testbed" });
    expect(reported(session.items)).toEqual([
      "host*: An example",
      "user: Fix é😀",
      "assistant: Look. | bash#t1",
      "tool: #t1=a.txt",
      "assistant: ```\nsubmit\n```",
      "host: submitted",
    ]);
    expect(session.items[2]).toMatchObject({ message: { model: "gpt-4o" } });
    expect(session.leftOut).toMatchObject([{ reason: "side-chain", item: { isSidechain: true } }]);
    expect(session.repairs).toEqual([]);
  });

  it("keeps the commands of its text mode as the text that they were", () => {
    const session = read(
      { role: "system", content: "Be brief." },
      { role: "user", content: "Fix it" },
      { role: "assistant", content: "Look.\n```\nls\n```", thought: "Look.", action: "ls" },
      { role: "user", content: "a.txt" },
      { role: "user", content: "You did not give a command." },
    );
    expect(reported(session.items)).toEqual([
      "user: Fix it",
      "assistant: Look.\n```\nls\n```",
      "host: a.txt",
      "host: You did not give a command.",
    ]);
  });

  it.each([
    {
      why: "a result whose call is not named is what the user would say",
      element: { role: "tool", content: "a.txt" },
      text: "host: a.txt",
    },
    {
      why: "a picture among the parts",
      element: {
        role: "user",
        content: [
          { type: "text", text: "seen" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
      text: "host: seen | [image]",
    },
    {
      why: "signed thinking",
      element: {
        role: "assistant",
        content: "so",
        thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "s" }],
      },
      text: "assistant: (Hm signed) | so",
    },
    {
      why: "a demonstration is put in, answers and all",
      element: { role: "assistant", content: "like this", is_demo: true },
      text: "assistant*: like this",
    },
  ])("has $why", ({ element, text }) => {
    const asked = [
      { role: "user", content: "Fix it" },
      { role: "assistant", content: "Look." },
    ];
    expect(reported(read(...asked, element).items).at(-1)).toBe(text);
  });

  it("takes a demonstration for no answer: what is asked after it is the user's", () => {
    const demo = [
      { role: "user", content: "Like this", is_demo: true },
      { role: "assistant", content: "ls", is_demo: true },
    ];
    expect(reported(read(...demo, { role: "user", content: "Fix it" }).items)).toEqual([
      "host*: Like this",
      "assistant*: ls",
      "user: Fix it",
    ]);
  });

  it("is one session an attempt; the one that was chosen is not told twice", () => {
    const attempts = ["one", "two"].map((text) => withHistory({ role: "user", content: text }));
    const sessions = importAs("swe-agent", { attempts, ...attempts[1] });
    expect(sessions.map(({ items }) => reported(items))).toEqual([["user: one"], ["user: two"]]);
  });

  it("tells the steps where the history is missing", () => {
    expect(
      reported(importOneAs("swe-agent", { trajectory: [STEP, { ...STEP, observation: "b.txt" }] }).items),
    ).toEqual(["assistant: Look.", "host: a.txt", "assistant: Look.", "host: b.txt"]);
  });

  it.each([
    { config: { agent: { model: { name: "gpt-4o" } } }, model: "gpt-4o", why: "an object" },
    { config: '{"agent":{"model":{"name":"gpt-4o"}}}', model: "gpt-4o", why: "a text" },
    { config: { agent: { model: { name: "replay" } } }, model: undefined, why: "no model answered" },
    { config: "{", model: undefined, why: "damaged" },
    { config: undefined, model: undefined, why: "none" },
  ])("takes the model from the configuration: $why", ({ config, model }) => {
    const [session] = importAs("swe-agent", {
      ...withHistory({ role: "user", content: "Fix it" }, { role: "assistant", content: "so" }),
      replay_config: config,
    });
    const item = session!.items[1]!;
    expect(item.type === "message" ? item.message.model : undefined).toBe(model);
  });

  it.each([
    { element: 5, notRead: 1, why: "no message" },
    { element: { role: "judge", content: "x" }, notRead: 0, why: "a role nobody has" },
    { element: { role: "assistant", content: 5 }, notRead: 0, why: "content that is a number" },
  ])("tells of damage: $why", ({ element, notRead }) => {
    const session = read({ role: "user", content: "Fix it" }, element, { role: "assistant", content: "so" });
    expect(session.repairs.map(({ kind }) => kind)).toContain("bad-record");
    expect(session.notRead?.records).toBe(notRead);
    expect(reported(session.items)).toEqual(["user: Fix it", "assistant: so"]);
  });

  it.skipIf(!hasCorpus)("says every word of the recorded ones", () => {
    for (const { path } of corpusFiles("swe-agent")) {
      const raw = JSON.parse(recorded(path)) as { history: readonly { role: string; content: string }[] };
      const session = importOneAs("swe-agent", raw);
      const [system, ...texts] = raw.history;
      expect(session.system).toBe(system!.content);
      const words = (isResult: boolean) =>
        texts.filter(({ role }) => (role === "tool") === isResult).map(({ content }) => content);
      expect(textsOf(session, "text")).toEqual(words(false));
      expect(textsOf(session, "tool_result")).toEqual(words(true));
    }
  });
});
