/** A host that owns its list, over a session with a model: the list never hides messages of the agent. */
import { describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { listRestorer } from "#session/compact/restored-lists.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";
import { blockText, type MessageInput } from "#transcript/blocks.ts";

const textsOf = (session: AgentSession): readonly string[] =>
  session.visible.map(({ blocks }) => blockText(blocks[0]!.block).split("\n", 1)[0]!);

describe("the next list of a host", () => {
  it("keeps the text of a hook, recalled memories, notices of tasks and what was restored", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const stage = await setTheStage({
      memory,
      hooks: { sessionStart: ({ source }) => `The session is ${source}.` },
    });
    const { session, palimpsest, events } = stage;
    const list: MessageInput[] = [{ role: "user", content: "When can I deploy?" }];
    await session.reconcile(list);
    await session.pinFact("The release is on 4 March."); // of the origin that notices of tasks have
    await session.prepare();
    await session.record({ messages: "On Tuesdays." });
    list.push({ role: "assistant", content: "On Tuesdays." }, "And on which day is the meeting?");
    await session.reconcile(list);
    const both = [
      "When can I deploy?",
      "[Pinned]",
      "The session is new.",
      "<memory-index>",
      "<recalled-memories>",
      "On Tuesdays.",
      "And on which day is the meeting?",
    ];
    expect(textsOf(session)).toEqual(both);
    await palimpsest.close();

    const again = await palimpsest.session("s1");
    expect(await again.reconcile(list)).toEqual([]);
    expect(textsOf(again)).toEqual(both);
    expect(events.filter(({ type }) => type === "host-edit")).toEqual([]);
    // The host takes its last two messages out: those are hidden, and nothing else.
    await again.reconcile(list.slice(0, 1));
    expect(textsOf(again)).toEqual(both.slice(0, 5));
    await palimpsest.close();
  });

  it("keeps what was shown again after a compaction, and finds messages that the summary hides", async () => {
    const { session, palimpsest } = await setTheStage({
      answer: () => "Noted. ".repeat(300),
      restorers: [
        listRestorer({
          ...{ name: "skills", kind: "skill", label: "Skill in use", form: "each" },
          list: async () => [{ key: "deploy", text: "Tag the release." }],
        }),
      ],
    });
    const list: MessageInput[] = [];
    for (let turn = 0; turn < 4; turn++) {
      list.push(`Fact ${turn}.`);
      await session.reconcile(list);
      await session.prepare();
      const messages = "Noted. ".repeat(300);
      await session.record({ messages });
      list.push({ role: "assistant", content: [messages] });
    }
    await session.compact();
    const compacted = textsOf(session);
    expect(session.visible.map(({ origin }) => origin)).toContain("restored");
    expect(await session.reconcile(list)).toEqual([]);
    expect(textsOf(session)).toEqual(compacted);
    await palimpsest.close();
  });
});

describe("plain strings", () => {
  it("are messages of the user, texts in a message, and the model's words in an answer", async () => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, palimpsest } = await setTheStage({ memory, calls: 0 });
    await session.append("When can I deploy?");
    await session.append([{ role: "assistant", content: "Soon." }, "When?"]);
    await session.append({ role: "user", content: ["So, when", { type: "text", text: "do we deploy?" }] });
    const { messages } = await session.prepare();
    expect(messages.map(({ role, content }) => [role, content.map(blockText)])).toEqual([
      ["user", ["When can I deploy?"]],
      ["assistant", ["Soon."]],
      [
        "user",
        [
          "When?",
          "So, when",
          "do we deploy?",
          expect.stringContaining("<memory-index>"),
          expect.stringContaining("Tuesdays"),
        ],
      ],
    ]);
    await session.record({ messages: ["On ", "Tuesdays."] });
    expect(session.visible.slice(-2).map(({ role }) => role)).toEqual(["assistant", "assistant"]);
    await expect(session.append({ role: "user", content: 5 as never })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
    await expect(session.append(undefined as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await palimpsest.close();
  });
});

describe("a session with a model", () => {
  it("has the members of its session", async () => {
    const { session, palimpsest } = await setTheStage({ calls: 0 });
    await session.turn("One.");
    const [first, second] = session.visible.map(({ seq }) => seq!);
    await session.turn("Two.");
    expect(session.tokens).toEqual(session.session.tokens);
    expect(await session.history.search("Two")).toMatchObject([{ pointer: expect.stringMatching(/^m\d+/) }]);
    const pin = await session.pin({ seq: first! });
    expect(session.pins).toEqual([pin]);
    expect(await session.unpin(pin)).toBe(true);
    await session.pinFact("The house is blue.");
    expect(session.pins).toHaveLength(1);
    await session.setMetadata("title", "members");
    expect(session.metadata).toEqual({ title: "members" });
    expect(await session.runTool("history_search", { query: "Two" })).toContain("Two.");
    expect(await session.runTool("weather", {})).toBeUndefined();
    await session.rewind(second!);
    expect(textsOf(session)).toEqual(["One.", "Done."]);
    const call = (await session.prepare()).callSeq;
    expect((await session.windowAt(call))[1]?.content.map(blockText)).toEqual(["Done."]);
    await palimpsest.close();
  });

  it("does not find messages again that it took out long before a compaction", async () => {
    const { session, palimpsest, events } = await setTheStage({ answer: () => "Noted. ".repeat(300) });
    const list: MessageInput[] = ["A secret.", { role: "assistant", content: "Noted." }];
    await session.reconcile(list);
    list.length = 0;
    for (let turn = 0; turn < 4; turn++) {
      list.push(`Fact ${turn}.`);
      await session.reconcile(list);
      await session.prepare();
      const messages = "Noted. ".repeat(300);
      await session.record({ messages });
      list.push({ role: "assistant", content: [messages] });
    }
    await session.compact();
    await palimpsest.close();
    const hostEdits = () => events.filter(({ type }) => type === "host-edit").length;
    expect(hostEdits()).toBe(1);

    const again = await palimpsest.session("s1");
    expect(await again.reconcile(list)).toEqual([]);
    expect(hostEdits()).toBe(1);
    await palimpsest.close();
  });
});
