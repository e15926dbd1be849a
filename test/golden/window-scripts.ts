/** Scripts of the layers, of summaries and of notes. */
import type { WindowOptions } from "#palimpsest/entries/index.ts";
import { answer, callTool } from "#palimpsest-testing/entries/index.ts";
import { type Script, UNGATED, WIRES, work, working } from "./script.ts";
import { HOUR_MS, ROOT, runScript, type ScriptOptions, SESSION, SYSTEM } from "./scripted-run.ts";
import { TOOLS, workAt } from "./scripted-work.ts";

const LAYERS: readonly NonNullable<WindowOptions["disabledLayers"]>[number][] = [
  ...(["arrival", "offload", "microcompact", "collapse"] as const),
  ...(["session-memory", "full", "extractive"] as const),
];

const WORKLOG = "_Step by step what was tried and done, one short entry each, the oldest first_\n";

const EDIT_TOOL_NOTES: ScriptOptions["notesAnswer"] = (_, index) =>
  callTool(
    "Edit",
    {
      file_path: `${ROOT}/${SESSION}/notes.md`,
      old_string: WORKLOG,
      new_string: `${WORKLOG}\n- noted part ${index}\n`,
    },
    `notes_${index}`,
  );

export const WINDOWS: readonly Script[] = [
  ...WIRES.map((wire, at) =>
    working(`work on ${wire}`, { wire, thinks: wire !== "openai-chat", streams: at % 2 === 0 }),
  ),
  ...(["economy", "balanced", "faithful"] as const).map((policy) =>
    working(`policy ${policy} at 64K`, { windowTokens: 64_000, window: { policy }, turns: 5 }),
  ),
  working("policy off", { windowTokens: 200_000, window: { policy: "off" }, turns: 2 }),
  working("policy off in a small window", { windowTokens: 16_000, window: { policy: "off" }, turns: 2 }),
  ...LAYERS.map((layer) => working(`without ${layer}`, { window: { disabledLayers: [layer] }, turns: 3 })),
  working("collapse only", {
    window: { disabledLayers: ["offload", "microcompact", "full", "session-memory", "extractive"] },
    turns: 3,
  }),
  working("summaries of the log only", {
    window: { disabledLayers: ["offload", "microcompact", "collapse", "full", "session-memory"] },
  }),
  working("after pauses of two hours", {
    pauseMs: 2 * HOUR_MS,
    window: { windowTokens: 64_000, cacheTtl: "1h" },
    windowTokens: 64_000,
    turns: 4,
  }),
  working("in 16K", { windowTokens: 16_000, scale: 0.5, turns: 2 }),
  working("large results in 16K, strict", {
    windowTokens: 16_000,
    wire: "anthropic-strict",
    thinks: true,
    turns: 2,
  }),
  working("kept and clearable tools", {
    window: { keptTools: ["Grep"], clearableTools: ["mcp__docs__get"] },
    turns: 2,
  }),
  {
    name: "without history tools",
    live: (run) =>
      runScript(run, { answer: (_, index) => workAt(index % 7) }, async (life) => {
        const tools = life.calm(TOOLS);
        await life.turn("Do it.", { system: SYSTEM, tools, historyTools: false, maxIterations: 30 });
      }),
  },
  {
    name: "one layer after the other",
    live: (run) =>
      runScript(
        run,
        { window: { policy: "faithful" }, answer: (_, index) => workAt(index, { thinks: true, scale: 0.7 }) },
        (life) => work(life, { turns: 6 }),
      ),
  },
];

export const SUMMARIES: readonly Script[] = [
  working("summaries that are none", { summary: () => "I go on with the work.", turns: 4 }),
  working("summaries that fail", { summary: () => ({ fault: "server-error" }), turns: 4 }),
  working("summaries that are cut", {
    summary: (_, index) =>
      index % 2 === 0 ? answer("<summary>1. Primary", { stopReason: "output-limit" }) : answer([]),
    turns: 4,
  }),
  working("a summary that calls tools", {
    summary: () => callTool("Read", { file_path: "/etc/passwd" }),
    turns: 3,
  }),
  working("a summary ahead of time", {
    windowTokens: 64_000,
    window: { policy: "economy", disabledLayers: ["offload", "microcompact"] },
    turns: 5,
  }),
  {
    name: "a colder model for summaries",
    live: (run) =>
      runScript(
        run,
        { answer: (_, index) => workAt(index), window: { disabledLayers: ["microcompact", "offload"] } },
        async (life) => {
          await work(life, { turns: 2 });
          life.clock.advance(3 * HOUR_MS);
          life.provider.forgetCache();
          await work(life, { turns: 2 }, 2);
        },
      ),
  },
];

export const NOTES: readonly Script[] = [
  working("notes as by default", { notes: {}, turns: 4 }),
  working("forked notes", { notes: UNGATED, turns: 3 }),
  working("forked notes on openai-responses", { notes: UNGATED, wire: "openai-responses", turns: 2 }),
  working("cold notes", { notes: { ...UNGATED, updater: "cold" }, turns: 3 }),
  working("notes without a model", { notes: { ...UNGATED, updater: "extractive" }, turns: 3 }),
  working("notes by an edit tool", {
    notes: { ...UNGATED, editTool: { name: "Edit" } },
    notesAnswer: EDIT_TOOL_NOTES,
    turns: 2,
  }),
  working("notes with a template and a prompt", {
    notes: {
      ...UNGATED,
      template: "# Plan\n_What comes next_\n",
      prompt: "Bring the session's notes up to date: {{currentNotes}}",
    },
    notesAnswer: (_, index) => `<replace section="Plan">\nstep ${index}\n</replace>`,
    turns: 2,
  }),
  working("notes that are bad", {
    notes: UNGATED,
    notesAnswer: (_, index) =>
      [
        "I go on with the work.",
        '<replace section="Forged">\nx\n</replace>',
        `<append section="Learnings">\n${"- more of it\n".repeat(3_000)}</append>`,
        { fault: "server-error" } as const,
      ][index % 4]!,
    turns: 2,
  }),
  {
    name: "notes of a session that is opened again",
    live: (run) =>
      runScript(run, { answer: (_, index) => workAt(index), notes: UNGATED }, async (life) => {
        await work(life, { turns: 1 });
        await life.reopen();
        await work(life, { turns: 1 }, 1);
        await life.note("compact", async () => (await life.session.compact()).freedTokens);
        await life.reopen();
        await work(life, { turns: 1 }, 2);
      }),
  },
];
