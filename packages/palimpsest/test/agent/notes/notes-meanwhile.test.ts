/**
 * Events between an update of notes and its end: a person saves, the session is closed. Also the host's templates and
 * prompts.
 */

import { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { FakeDeadline } from "#test/helpers/conversation-memory.ts";
import {
  coveredOn,
  diskWithSession,
  FOLDER,
  fileStore,
  isUpdate,
  LEGAL_PATCH,
  NOTES_FILE,
  notesStage,
  oneTurn,
  SESSION,
  textAt,
} from "#test/helpers/notes-stage.ts";

const SHORT_NOTES = "# Current State\n_What_\nAnn is at it.\n\n# Worklog\n_Step by step_\n- step one\n";

describe("a person who edits the notes while a model is asked", () => {
  const save = (disk: InMemoryFileSystem, text: string, how: "place" | "rename"): void => {
    if (how === "rename") {
      disk.writeFile(`${FOLDER}/.notes.swp`, Buffer.from(text));
      disk.rename(`${FOLDER}/.notes.swp`, NOTES_FILE);
      return;
    }
    const file = disk.open(NOTES_FILE, "append");
    file.truncate(0);
    file.write(Buffer.from(text));
    file.close();
  };
  const BY_HAND = SHORT_NOTES.replace("Ann is at it.", "Ann wrote this meanwhile.")
    .replace("_Step by step_", "_What was done_")
    .concat("\n# Lessons of Ann's\nkeep this\n");

  it.each([
    "place",
    "rename",
  ] as const)("keeps every edit (%s): what the model read before is not put over it", async (how) => {
    const disk = await diskWithSession(SHORT_NOTES);
    const stage = notesStage({
      fs: disk,
      reply: () => {
        save(disk, BY_HAND, how);
        return `<replace section="Current State">\nThe model is at it.\n</replace>\n${LEGAL_PATCH}`;
      },
    });
    await oneTurn(stage);
    expect(stage.updates()).toMatchObject([{ outcome: "written", changed: ["Worklog"], refusedCount: 1 }]);
    // The text that gave way to Ann's is offered again: the notes do not count as covering it.
    expect(stage.updates()[0]).not.toHaveProperty("throughSeq");
    expect(textAt(disk)).toBe(BY_HAND.replace("- step one\n", "- step one\n- step two\n"));
  });

  it("keeps them where the model edits by a tool", async () => {
    const disk = await diskWithSession(SHORT_NOTES);
    const edit = (old_string: string, new_string: string) =>
      ({
        type: "tool_use",
        id: "toolu_1",
        name: "Edit",
        input: { file_path: NOTES_FILE, old_string, new_string },
      }) as const;
    const stage = notesStage({
      fs: disk,
      notes: { editTool: { name: "Edit" } },
      reply: () => {
        save(disk, BY_HAND, "rename");
        return [edit("Ann is at it.", "The model is at it."), edit("- step one", "- step one\n- step two")];
      },
    });
    await oneTurn(stage);
    expect(stage.updates()).toMatchObject([{ changed: ["Worklog"], refusedCount: 1 }]);
    expect(textAt(disk)).toBe(BY_HAND.replace("- step one\n", "- step one\n- step two\n"));
  });

  it("takes them away, and they are told anew from the beginning", async () => {
    const disk = await diskWithSession();
    const notes = { updater: "cold" } as const;
    await oneTurn(notesStage({ fs: disk, notes }));
    disk.remove(NOTES_FILE);
    const stage = notesStage({ fs: disk, notes });
    await oneTurn(stage, {}, "And then?");
    const [asked] = stage.model.requests.filter(isUpdate);
    expect(JSON.stringify(asked)).toContain("Mend the parser.");
  });

  it("saves each time anew, and the notes are not taken to tell of what they do not", async () => {
    for (const updater of ["forked", "extractive"] as const) {
      const disk = await diskWithSession(SHORT_NOTES);
      const store = fileStore(disk);
      const open = store.open.bind(store);
      store.open = async (...given) => {
        const log = await open(...given);
        Object.assign(log.notes!, { replace: async () => false });
        return log;
      };
      const stage = notesStage({ fs: disk, store, notes: { updater } });
      await oneTurn(stage, {}, "Rename src/lexer.ts to src/scanner.ts.");
      expect(stage.updates(), updater).toMatchObject([{ outcome: "failed", reason: "STORE_FAILED" }]);
      expect(await coveredOn(disk), updater).toBe(0);
    }
  });
});

describe("closing a session", () => {
  /** Closes while the model is asked; `meanwhile` may let it answer. */
  async function closing(meanwhile: (answer: () => void, deadline: FakeDeadline) => void) {
    const disk = await diskWithSession(SHORT_NOTES);
    const deadline = new FakeDeadline();
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((isAsked) => {
      const stage = notesStage({
        fs: disk,
        deadline,
        reply: () => {
          isAsked();
          return new Promise((resolve) => {
            answer = () => resolve(LEGAL_PATCH);
          });
        },
      });
      void stage.palimpsest.open(SESSION).then(async (agent) => {
        await agent.turn("Go on.");
        opened = { agent, stage };
      });
    });
    let opened: { agent: AgentSession; stage: ReturnType<typeof notesStage> } | undefined;
    await asked;
    while (opened === undefined) await new Promise((resolve) => setImmediate(resolve));
    let isClosed = false;
    const closed = opened.agent.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    meanwhile(() => answer(), deadline);
    await closed;
    expect(deadline.waiting).toEqual([]);
    return { disk, updates: opened.stage.updates() };
  }

  it("waits for an update that is being written", async () => {
    const { disk, updates } = await closing((answer) => answer());
    expect(updates).toMatchObject([{ outcome: "written" }]);
    expect(textAt(disk)).toContain("- step two");
  });

  it("gives it up when its time is over, and the notes are as they were", async () => {
    const { disk, updates } = await closing((_, deadline) => {
      const drain = deadline.waiting.filter(({ ms }) => ms === 5_000);
      expect(drain).toHaveLength(1);
      drain[0]!.work();
    });
    expect(updates).toMatchObject([{ outcome: "failed" }]);
    expect(textAt(disk)).toBe(SHORT_NOTES);
    expect(await coveredOn(disk)).toBe(0);
  });
});

describe("a template and a prompt of the host's own", () => {
  const TEMPLATE = "## Plan\n*What comes next*\n\n## Diary\n*Day by day*\n";

  it("take the place of the usual ones, with their variables filled in once", async () => {
    const disk = await diskWithSession(`${TEMPLATE}- {{notesPath}} stays as it is\n`);
    const prompt =
      "KEEP NOTES in {{notesPath}} of {{sectionTitles}}; {{sectionTokens}}/{{totalTokens}}; {{unknown}}\n{{currentNotes}}";
    const stage = notesStage({
      fs: disk,
      notes: { template: TEMPLATE, prompt },
      reply: () => '<append section="diary">\n- a day\n</append>\n<append section="Worklog">\nx\n</append>',
    });
    await oneTurn(stage);
    const [asked] = stage.model.requests.filter(isUpdate);
    const block = asked?.messages.at(-1)?.content.at(-1);
    const text = block?.type === "text" ? block.text : "";
    expect(text).toContain(
      `KEEP NOTES in ${NOTES_FILE} of Plan, Diary; 2000/12000; {{unknown}}\n<current_notes>`,
    );
    expect(text).toContain("- {{notesPath}} stays as it is");
    expect(text).toContain('<append section="Worklog">');
    expect(text).not.toContain("Bring the session's notes up to date");
    expect(stage.updates()).toMatchObject([
      { outcome: "written", changed: ["Diary"], refusedCount: 1, unknownVariables: ["unknown"] },
    ]);
    expect(textAt(disk)).toBe(`${TEMPLATE}- {{notesPath}} stays as it is\n- a day\n`);
  });

  it.each([
    "no heading here",
    "# One\n\n# one\n",
  ])("that cannot be a template is refused: %j", async (template) => {
    const stage = notesStage({ fs: new InMemoryFileSystem(), notes: { template } });
    await expect(stage.palimpsest.create()).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
