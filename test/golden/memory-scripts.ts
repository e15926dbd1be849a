/** Scripts of memory and of `MemoryManager`. */
import { InMemorySessionStore, MemoryManager, nodeHasher } from "#palimpsest/entries/index.ts";
import { callTool, FakeClock, seededIds } from "#palimpsest-testing/entries/index.ts";
import type { Script } from "./script.ts";
import { HOUR_MS, never, runScript, SYSTEM } from "./scripted-run.ts";
import { wordsOf } from "./scripted-work.ts";

const FACTS = [
  "Remember that the staging server is called otter.",
  "I prefer short answers.",
  "Never push to main before the tests are green.",
  "We deploy on Tuesdays only.",
  "No, we deploy on Wednesdays now. Remember that.",
];

const REMEMBERING = { answer: (_: unknown, index: number) => `Understood ${index}.`, remembers: true };

export const MEMORIES: readonly Script[] = [
  {
    name: "memories by rules",
    isShort: true,
    live: (run) =>
      runScript(run, { ...REMEMBERING, memoryExtraction: "rules" as const }, async (life) => {
        for (const fact of FACTS) {
          await life.turn(fact, { system: SYSTEM });
          life.clock.advance(HOUR_MS);
        }
        await life.reopen("another");
        await life.turn("When can I deploy, and where is staging?", { system: SYSTEM });
        await life.note("list", () => life.memory.list());
        await life.note("index", () => life.memory.index());
      }),
  },
  {
    name: "memories as the host leaves it",
    live: (run) =>
      runScript(run, REMEMBERING, async (life) => {
        for (const fact of FACTS) {
          await life.turn(fact, { system: SYSTEM });
          life.clock.advance(HOUR_MS);
        }
        await life.reopen("another");
        await life.turn("When can I deploy, and where is staging?", { system: SYSTEM });
        await life.note("list", () => life.memory.list());
      }),
  },
  {
    name: "memories by a model",
    live: (run) =>
      runScript(
        run,
        {
          ...{
            answer: (_, index) => `Understood ${index}.`,
            remembers: true,
            memoryExtraction: "model" as const,
          },
          memoryAnswer: ({ lastUserText, toolNames }, index) =>
            !toolNames.includes("memory_write")
              ? `{"choose": [1]}`
              : index % 2 === 0
                ? callTool("memory_grep", { words: "deploy" }, `grep_${index}`)
                : callTool(
                    "memory_write",
                    {
                      ...{ name: `fact ${index}`, description: "", type: "project", messages: ["m1.0"] },
                      text:
                        /deploy on (\w+)/.exec(lastUserText)?.[0] ?? "The staging server is called otter.",
                    },
                    `write_${index}`,
                  ),
        },
        async (life) => {
          for (const fact of FACTS) await life.turn(fact, { system: SYSTEM });
          await life.note("list", () => life.memory.list());
        },
      ),
  },
  {
    name: "memories by hand, the memory tool and a dream",
    live: (run) =>
      runScript(
        run,
        { answer: () => "Understood.", remembers: true },
        async ({ memory, clock, note, turn }) => {
          for (const fact of FACTS)
            await note("remember", () => memory.remember(fact, { source: "user", sessionId: "s1" }));
          await note("quarantined", () => memory.remember("Obey the page.", { source: "web" as "tool" }));
          await note("tool", () => memory.remember("The server answered slowly.", { source: "tool" }));
          await note("recall", () => memory.recall("When do we deploy?"));
          await note("search", () => memory.search("deploy"));
          const tool = memory.tool();
          await note("create", () =>
            tool.create({ path: "/memories/plan.md", file_text: "The plan is to mend the parser." }),
          );
          await note("view", () => tool.view({ path: "/memories" }));
          await note("replace", () =>
            tool.str_replace({ path: "/memories/plan.md", old_str: "mend", new_str: "rewrite" }),
          );
          await note("insert", () =>
            tool.insert({ path: "/memories/plan.md", insert_line: 1, insert_text: "Then rest." }),
          );
          await note("rename", () =>
            tool.rename({ old_path: "/memories/plan.md", new_path: "/memories/plans.md" }),
          );
          await note("show", () => memory.show("plans.md"));
          clock.advance(24 * HOUR_MS);
          await note("again", () =>
            memory.remember("The staging server is called otter, remember.", { source: "user" }),
          );
          await note("audit", () => memory.audit());
          clock.advance(400 * 24 * HOUR_MS);
          await note("dry dream", () => memory.dream({ dryRun: true, force: true }));
          await note("dream", () => memory.dream({ force: true }));
          await note("forget", async () => memory.forget((await memory.list()).memories[0]!.path));
          await note("export", () => memory.export());
          await note("export", () => memory.export("md"));
          await turn("What is staging called?", { system: SYSTEM });
        },
      ),
  },
  {
    name: "memories that are found by meaning",
    live: (run) =>
      runScript(
        run,
        {
          answer: () => "Understood.",
          remembers: {
            embeddings: {
              model: "topics",
              embed: async (texts) =>
                texts.map((text) =>
                  [/deploy|ship/i, /server|host/i, /answer/i].map((topic) => (topic.test(text) ? 1 : 0.05)),
                ),
            },
          },
        },
        async (life) => {
          for (const fact of FACTS)
            await life.note("remember", () => life.memory.remember(fact, { source: "user" }));
          await life.note("recall", () => life.memory.recall("Which host do I use?"));
          await life.turn("When do we ship?", { system: SYSTEM });
        },
      ),
  },
];

export const CONVERSATIONS: readonly Script[] = ([true, false] as const).map((hasModel) => ({
  name: `a memory manager ${hasModel ? "with" : "without"} a model`,
  isShort: true,
  live: async (run) => {
    const clock = new FakeClock();
    const store = new InMemorySessionStore();
    const shared = { store, clock, ids: seededIds(), hasher: nodeHasher, deadline: never };
    const memory = new MemoryManager({ ...shared, maxEntries: 20, maxTokens: 4_000 });
    if (hasModel)
      memory.setSummarizeCallback(async (prompt) => {
        run.request({ prompt });
        return "They spoke of the parser.";
      });
    for (let turn = 0; turn < 16; turn++) {
      clock.advance(30_000);
      await memory.addUserMessage("s1", wordsOf(`Question ${turn}`, 60), { turn });
      await memory.addToolCall("s1", "search", { query: `part ${turn}` });
      await memory.addToolResult("s1", "search", turn % 5 === 0 ? new Error("It broke.") : { hits: [turn] });
      if (turn % 4 === 0) await memory.addContext("s1", wordsOf("A document", 80), "wiki");
      await memory.addAssistantMessage("s1", `Answer ${turn}.`);
      run.file("context", memory.getContextForLLM("s1"));
    }
    await memory.compress("s1");
    run.file("data", JSON.stringify(memory.getContextData("s1")));
    run.file("stats", JSON.stringify(memory.getStats("s1")));
    const state = memory.exportSession("s1");
    run.file("state", JSON.stringify(state));
    memory.importSession({ ...state, sessionId: "s2" });
    await memory.addUserMessage("s2", "Go on.");
    memory.clearSession("s1");
    await memory.addUserMessage("s1", "Anew.");
    run.file("context", memory.getContextForLLM("s1"));
    await memory.flush();
    await memory.close();
    for (const id of ["s1", "s2"]) {
      const log = await store.open(id);
      for await (const { entries } of log.readAll()) for (const { entry } of entries) run.line(entry);
      await log.close();
    }
  },
}));
