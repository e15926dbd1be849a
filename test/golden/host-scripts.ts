/** Scripts of hooks, restoration and the calls that a host makes by hand. */
import {
  createSession,
  forkSession,
  InMemorySessionStore,
  listRestorer,
  type Message,
  nodeHasher,
} from "#palimpsest/entries/index.ts";
import { callTool, FakeClock, seededIds } from "#palimpsest-testing/entries/index.ts";
import { type Script, steps, UNGATED, work } from "./script.ts";
import { runScript, SESSION, SYSTEM } from "./scripted-run.ts";
import { TOOLS, wordsOf, workAt } from "./scripted-work.ts";

export const HOSTS: readonly Script[] = [
  {
    name: "hooks",
    live: (run) => {
      let asked = 0;
      return runScript(
        run,
        {
          answer: (_, index) => workAt(index),
          window: { disabledLayers: ["offload", "microcompact"] },
          hooks: {
            sessionStart: ({ source }) => `It is a ${source} session; the house is blue.`,
            preCompact: ({ trigger, reason }) => {
              run.file("preCompact", `${trigger} ${reason}`);
              return [{ instructions: "Keep the names of files." }, { veto: "not now" }, undefined][
                asked++ % 3
              ];
            },
            postCompact: ({ trigger, edits }) => run.file("postCompact", `${trigger} ${edits.length}`),
            postSampling: () => {
              if (asked > 1) throw new Error("A hook that breaks.");
            },
            failed: ({ error }) => run.file("failed", String(error)),
          },
        },
        (life) => work(life, { turns: 5 }),
      );
    },
  },
  {
    name: "what is restored",
    live: (run) => {
      let asked = 0;
      return runScript(
        run,
        {
          answer: (_, index) => workAt(index),
          window: { disabledLayers: ["offload", "microcompact"] },
          plan: {
            plan: async () => "1. Read the parser.\n2. Mend it.",
            planMode: async () => (asked > 1 ? "Change nothing." : undefined),
          },
          fileReader: {
            read: async (path) =>
              path.includes("part1")
                ? { state: "gone" }
                : path.includes("part2")
                  ? { state: "unreadable" }
                  : { state: "present", text: `// ${path} as it is now\n` },
          },
          restorers: [
            listRestorer({
              ...{ name: "skills", kind: "skill", label: "Skill in use", form: "each" },
              list: async () => [
                { key: "review", text: wordsOf("How to review", 200 + asked++) },
                { key: `skill ${asked}`, text: "How to mend." },
              ],
            }),
            listRestorer({
              ...{ name: "tools", kind: "deferred-tools", label: "Tools that can be asked for" },
              list: async () => [{ key: "Browser", text: "Opens pages." }],
            }),
            {
              name: "broken",
              restore: async () => {
                throw new Error("no");
              },
            },
          ],
        },
        (life) => work(life, { turns: 5 }),
      );
    },
  },
  {
    name: "compactions by hand, and back",
    live: (run) =>
      runScript(run, { answer: (_, index) => workAt(index), windowTokens: 200_000 }, async (life) => {
        await work(life, { turns: 2 });
        const compacted = await life.session.compact({ instructions: "Keep the names of files." });
        await work(life, { turns: 1 }, 2);
        await life.note("undo", () => life.session.session.undo(compacted.edits[0]!.seq));
        const { visible } = life.session.session;
        const middle = visible[Math.floor(visible.length / 2)]!.seq;
        await life.note("from", async () => (await life.session.compact({ from: middle })).freedTokens);
        await work(life, { turns: 1 }, 3);
        await life.note("up to", async () => {
          const seqs = life.session.session.visible.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
          return (await life.session.compact({ upTo: seqs[Math.floor(seqs.length / 2)]! })).freedTokens;
        });
        await work(life, { turns: 1 }, 4);
        await life.note("rewind", () => life.session.session.rewind(middle));
        await work(life, { turns: 1 }, 5);
        await life.reopen();
        await life.note("window", async () => life.session.session.windowAt(compacted.edits[0]!.seq));
        await work(life, { turns: 1 }, 6);
      }),
  },
  {
    name: "pins and history",
    live: (run) =>
      runScript(
        run,
        {
          windowTokens: 16_000,
          answer: steps([
            callTool("history_pin", { text: "The password of the guest network is on the wall." }, "pin_1"),
            callTool("history_search", { query: "guest network" }, "search_1"),
            callTool("history_pin", { pointer: "m2.0" }, "pin_2"),
            callTool("mcp__docs__get", { path: "long", size: 4_000 }, "doc_1"),
            callTool("mcp__docs__get", { path: "longer", size: 5_000 }, "doc_2"),
            callTool("mcp__docs__get", { path: "longest", size: 6_000 }, "doc_3"),
            callTool("history_search", { query: "password" }, "search_2"),
            callTool("history_read", { pointer: "m2.0" }, "history_1"),
            callTool("history_pin", { pointer: "m2.0", remove: true }, "pin_3"),
            callTool("history_read", { pointer: "m999.0" }, "history_2"),
          ]),
        },
        async (life) => {
          const tools = life.calm(TOOLS);
          await life.turn("Remember the wall, and read everything.", { system: SYSTEM, tools });
          const { session } = life.session;
          await life.note("pin", () => session.pinFact("The house is blue."));
          await life.note("pins", () => session.pins);
          await life.note("compact", async () => (await life.session.compact()).freedTokens);
          await session.setMetadata("title", "pins");
          await life.turn("And now?", { system: SYSTEM, tools });
          await life.note("search", () => session.history.search("blue house"));
          await life.note("unpin", () => session.unpin(session.pins[0]!));
          await life.reopen();
          await life.turn("Still blue?", { system: SYSTEM, tools });
        },
      ),
  },
  {
    name: "a fork",
    live: (run) =>
      runScript(run, { answer: (_, index) => workAt(index), notes: UNGATED }, async (life) => {
        await work(life, { turns: 2 });
        const { store, clock } = life;
        await life.session.session.setMetadata("title", "the first one");
        const { visible } = life.session.session;
        const shared = { store, clock, ids: seededIds(7), hasher: nodeHasher };
        const fork = await forkSession(SESSION, { ...shared, sessionId: "fork" });
        await fork.append(message("user", "In the fork."));
        await fork.close();
        const early = await forkSession(SESSION, {
          ...shared,
          sessionId: "early-fork",
          atSeq: visible.at(-4)!.seq!,
        });
        await early.close();
        await life.reopen("early-fork");
        await work(life, { turns: 1 }, 2);
      }),
  },
  {
    name: "a host's list of messages",
    isShort: true,
    live: async (run) => {
      const clock = new FakeClock();
      const store = new InMemorySessionStore();
      const shared = { store, clock, ids: seededIds(), hasher: nodeHasher };
      const session = await createSession({ ...shared, sessionId: "list", window: { windowTokens: 16_000 } });
      const list: Message[] = [];
      for (let turn = 0; turn < 14; turn++) {
        clock.advance(60_000);
        list.push(message("user", wordsOf(`Question ${turn}`, 300)));
        if (turn === 6) list.splice(1, 2);
        if (turn === 9) list[0] = message("user", "The first one, in other words.");
        await session.reconcile(list);
        const prepared = await session.prepare({
          model: turn < 10 ? "claude-sonnet-4-5" : "gpt-4.1",
          system: SYSTEM,
        });
        run.request({ ...prepared, tokens: undefined });
        const item: Message = {
          role: "assistant",
          content: [
            { type: "thinking", thinking: `Thought ${turn}`, signature: "c2ln" },
            { type: "text", text: wordsOf(`Answer ${turn}`, 900) },
          ],
        };
        await session.record({ messages: [item] });
        list.push(item);
      }
      await session.close();
      const log = await store.open("list");
      for await (const { entries } of log.readAll()) for (const { entry } of entries) run.line(entry);
    },
  },
];

const message = (role: "user" | "assistant", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
});
