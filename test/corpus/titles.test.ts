/** Names and times of imported sessions are what a person wrote, and when; not reminders, hooks, files or the import. */
import { SessionInfoBuilder } from "palimpsest";
import { importFile } from "palimpsest/formats";
import { describe, expect, it } from "vitest";
import { hasCorpus, recordedFiles } from "../helpers/corpus.ts";
import { usualFew } from "../helpers/size-of-run.ts";

/** For each importer, and for each kind of text that a tool puts in front of a person's. */
const ROWS = [
  { id: "cc2-12-137k", title: undefined, begins: "/security:review all of phase 14 work", day: "2026-02-21" },
  {
    id: "cc-omp-77",
    title: "Website redesign proposals",
    begins: 'Rename the "Open Studio" button',
    day: "2026-07-28",
  },
  {
    id: "cc-skills-400k",
    title: "collab-dispatch-auto-approve",
    begins: "/superpowers:brainstorming how can I design",
    day: "2026-04-15",
  },
  {
    id: "cc2-14-204k",
    title: "Gradient-colored segment feasibility",
    begins: "I want you to do an analysis",
    day: "2026-07-22",
  },
  {
    id: "cc-omp-1M",
    title: "Website redesign proposals",
    begins: "I want you to analyze the website's design",
    day: "2026-07-26",
  },
  { id: "cc-entire-short", title: undefined, begins: "lint and test failures :(", day: "2026-02-08" },
  {
    id: "cc-sniffly",
    title: "AI Music: Embedding Words into Sound",
    begins: "create a jupyter notebook file",
    day: "2025-06-08",
  },
  {
    id: "codex-agentv-83k",
    title: undefined,
    begins: "please remove the accidental root artifacts",
    day: "2026-06-26",
  },
  { id: "copilot-azuredev", title: undefined, begins: "Can you, without using gh cli", day: "2026-07-19" },
  {
    id: "gemini-entire",
    title: undefined,
    begins: "run an agent that creates a color file",
    day: "2026-01-15",
  },
  {
    id: "opencode-agentlogs",
    title: "Tools usage audit: undo all edits and writes",
    begins: "use each tool exactly once.",
    day: "2026-01-23",
  },
  {
    id: "pi-before-compaction",
    title: undefined,
    begins: "alright, read @packages/coding-agent/src/main.ts",
    day: "2025-12-08",
  },
  {
    id: "mini-requests-1142",
    title: undefined,
    begins: "Consider the following PR description:",
    day: "2025-11-19",
  },
  { id: "openhands-mswe", title: undefined, begins: "I've uploaded a C code repository", day: "2025-04-30" },
  { id: "anthropic-cline-crud", title: undefined, begins: "tell me abouth this repo", day: undefined },
  {
    id: "sweagent-ctf-web",
    title: undefined,
    begins: "We're currently solving the following CTF challenge.",
    day: undefined,
  },
  {
    id: "tau-airline-gpt4o-12",
    title: undefined,
    begins: "Hi! I'm looking to book a flight",
    day: undefined,
  },
] as const;

describe.runIf(hasCorpus)("an imported session", () => {
  const paths = new Map(recordedFiles().map(({ id, path }) => [id, path]));

  it.each(usualFew(ROWS, 4))("of $id is named by what a person wrote", async ({ id, title, begins, day }) => {
    const [session] = (await importFile(paths.get(id)!)).sessions;
    const info = new SessionInfoBuilder();
    let firstAt = Number.POSITIVE_INFINITY;
    for (const item of session!.items) {
      if (item.type !== "message") continue;
      const { role, content, origin = "user", at } = item.message;
      if (at !== undefined) firstAt = Math.min(firstAt, at);
      info.add({ type: "message", seq: 1, id: "1", v: 1, at: 0, role, content, origin });
    }
    const { firstPrompt = "" } = info.info({ sessionId: id, bytes: 1, isInUse: false });
    expect([session!.title, firstPrompt.slice(0, begins.length)]).toEqual([title, begins]);
    expect(Number.isFinite(firstAt) ? new Date(firstAt).toISOString().slice(0, 10) : undefined).toBe(day);
  });
});
