/** A session with tasks is rewound: its tasks go on, the agent hears which there are, and each end is reported once. */
import { createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { internalsOf } from "#session/session.ts";
import { engineTexts } from "./notices.ts";

const model = functionModel(async () => "Fine.", { model: "claude-opus-4-5" });

function host() {
  const store = new InMemorySessionStore();
  const waiting: (() => void)[] = [];
  const slow = functionModel(() => new Promise<string>((resolve) => waiting.push(() => resolve("Read."))), {
    model: "claude-opus-4-5",
  });
  const agents = {
    quick: { description: "quick", model },
    slow: { description: "slow", model: slow },
  };
  const open = () => createPalimpsest({ model, store, notes: "off", tasks: { agents } }).session("parent");
  const start = (session: AgentSession, agent: "quick" | "slow") =>
    session.tasks.start("local_agent", { agent, prompt: `Be ${agent}.` });
  const release = async (session: AgentSession, id: string): Promise<void> => {
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const go of waiting.splice(0)) go();
    await session.tasks.wait(id);
  };
  return { store, open, start, release };
}

const headOf = ({ session }: AgentSession): number => internalsOf(session).writer.nextSeq - 1;

/** Everything that the engine wrote for the agent, rewound or not. */
async function allNotices(store: InMemorySessionStore): Promise<readonly string[]> {
  const notices: string[] = [];
  const log = await store.open("parent");
  for await (const { entries } of log.readAll())
    for (const { entry } of entries)
      if (entry.type === "message" && entry.origin === "engine")
        for (const block of entry.content) if (block.type === "text") notices.push(block.text);
  await log.close();
  return notices;
}

const endsOf = (notices: readonly string[], id: string): number =>
  notices.join("\n").match(new RegExp(`Task ${id} \\([^\\n]*\\) (ended|was)`, "g"))?.length ?? 0;

const LISTED_T1 = /^- t1: local_agent "Be quick\.": ended well\. /m;
const LISTED_T2 = /^- t2: local_agent "Be slow\.": running for \d+ s\. /m;

describe("a session with tasks that is rewound", () => {
  it("lists them once: those whose notices were taken back, and those that run; each end is reported once", async () => {
    const { store, open, start, release } = host();
    const session = await open();
    await session.turn("Hello.");
    const head = headOf(session);
    await session.tasks.wait((await start(session, "quick")).id);
    await session.turn("Well?");
    const { id } = await start(session, "slow");
    await session.turn("And?");
    expect(engineTexts(session.session)).toHaveLength(1);

    await session.session.rewind(head);
    expect(session.tasks.get(id).status).toBe("running");
    await session.turn("Another question.");
    const [list = "", ...others] = engineTexts(session.session);
    expect(others).toEqual([]);
    expect(list).toMatch(/^The conversation was rewound; its background tasks were not\. There are:\n- t2: /);
    expect(list).toMatch(LISTED_T1);
    expect(list).toMatch(LISTED_T2);
    await session.turn("Go on.");
    expect(engineTexts(session.session)).toEqual([list]);

    await release(session, id);
    await session.turn("And now?");
    await session.turn("Go on.");
    expect(engineTexts(session.session)).toHaveLength(2);
    await session.close();
    const notices = await allNotices(store);
    expect([endsOf(notices, "t1"), endsOf(notices, "t2")]).toEqual([1, 1]);
  });

  it("hears of an end that came with the rewind as its notice alone", async () => {
    const { store, open, start, release } = host();
    const session = await open();
    await session.turn("Hello.");
    const head = headOf(session);
    await session.tasks.wait((await start(session, "quick")).id);
    await session.turn("Well?");
    const { id } = await start(session, "slow");
    await session.turn("And?");
    await session.session.rewind(head);
    await release(session, id);
    await session.turn("Another question.");
    const [text = ""] = engineTexts(session.session);
    expect(text).toMatch(LISTED_T1);
    expect(text).not.toContain("- t2:");
    expect(endsOf([text], "t2")).toBe(1);
    await session.close();
    expect(endsOf(await allNotices(store), "t1")).toBe(1);
  });

  it("gets nothing where no notice was taken back and nothing runs, and again where the list was", async () => {
    const { open, start } = host();
    const session = await open();
    await session.turn("Hello.");
    const first = headOf(session);
    await session.tasks.wait((await start(session, "quick")).id);
    await session.turn("Well?");
    const second = headOf(session);
    const [notice] = engineTexts(session.session);
    await session.turn("And?");
    await session.session.rewind(second);
    await session.turn("Another question.");
    expect(engineTexts(session.session)).toEqual([notice]);
    for (let time = 0; time < 2; time++) {
      await session.session.rewind(first);
      await session.turn("Another question.");
      expect(engineTexts(session.session)).toEqual([expect.stringMatching(LISTED_T1)]);
    }
    await session.close();
  });

  it("lists them where the process ended between the rewind and the next call", async () => {
    const { store, open, start } = host();
    const before = await open();
    await before.turn("Hello.");
    const head = headOf(before);
    await before.tasks.wait((await start(before, "quick")).id);
    await before.turn("Well?");
    await start(before, "slow");
    await before.session.rewind(head);
    await before.close();
    const after = await open();
    await after.turn("Another question.");
    await after.turn("Go on.");
    const [text = "", ...others] = engineTexts(after.session);
    expect(others).toEqual([]);
    expect(text).toMatch(LISTED_T1);
    expect(endsOf([text], "t2")).toBe(1);
    await after.close();
    const notices = await allNotices(store);
    expect([endsOf(notices, "t1"), endsOf(notices, "t2")]).toEqual([1, 1]);
  });

  it("has each notice once after a compaction that is undone", async () => {
    const { store, open, start, release } = host();
    const session = await open();
    await session.tasks.wait((await start(session, "quick")).id);
    for (let turn = 0; turn < 8; turn++) await session.turn(`Question ${turn} ${"about it ".repeat(500)}`);
    const { id } = await start(session, "slow");
    const { edits } = await session.compact();
    expect(edits).toHaveLength(1);
    await release(session, id);
    await session.turn("Well?");
    await session.session.undo(edits[0]!.seq);
    await session.turn("And?");
    const shown = engineTexts(session.session).filter((text) => text.startsWith("Task "));
    expect([endsOf(shown, "t1"), endsOf(shown, "t2")]).toEqual([1, 1]);
    await session.close();
    const notices = await allNotices(store);
    expect([endsOf(notices, "t1"), endsOf(notices, "t2")]).toEqual([1, 1]);
  });
});
