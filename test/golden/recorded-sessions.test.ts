/**
 * Replays every recorded session of both corpora and compares its goldens: windows of 200K and 32K tokens, both classes
 * of edit safety, every request in three wire formats, every line of the stored log.
 *
 * Sessions are replayed whole, without a cap on messages. A soak makes all runs:
 * `PALIMPSEST_LONG=soak npx vitest run test/golden`. The long run makes one run for each file, the default run only
 * those of the smallest files.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type ImportedMessage,
  type ImportedSession,
  importFile,
  toAnthropic,
  toOpenAIChat,
  toOpenAIResponses,
} from "#palimpsest/entries/formats.ts";
import {
  createSession,
  FileSessionStore,
  nodeFileSystem,
  nodeHasher,
  PalimpsestError,
  type Session,
} from "#palimpsest/entries/index.ts";
import type { PreparedCall } from "#palimpsest/session/options/prepared-call.ts";
import { RecordedUsage } from "#palimpsest-cli/replay/measure/billed-usage.ts";
import { planReplay, type ReplayStep } from "#palimpsest-cli/replay/measure/replay-plan.ts";
import { FakeClock, seededIds } from "#palimpsest-testing/entries/index.ts";
import { recordedFiles } from "../helpers/corpus.ts";
import { bySize } from "../helpers/size-of-run.ts";
import { GoldenRun, Goldens } from "./golden.ts";

interface Setting {
  readonly windowTokens: number;
  readonly editSafety: "strict" | "permissive";
}

const SETTINGS: readonly Setting[] = [200_000, 32_000].flatMap((windowTokens) =>
  (["strict", "permissive"] as const).map((editSafety) => ({ windowTokens, editSafety })),
);

/** Start of a recording without times. */
const BEGIN_MS = Date.UTC(2026, 0, 1);
/** Between two messages without times. */
const STEP_MS = 5_000;
const DEFAULT_MODEL = "claude-opus-4-6";

const goldens = new Goldens(new URL("recorded-sessions.snapshot.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "palimpsest-golden-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All files and settings in a soak, one setting for each file in the long run, the smallest files by default. */
const runs = recordedFiles().flatMap((file, index) =>
  SETTINGS.filter((_, place) =>
    bySize({
      usual: index % 4 === place && statSync(file.path).size < 20_000,
      long: index % 4 === place,
      soak: true,
    }),
  ).map((setting) => ({
    ...file,
    ...setting,
    name: `${file.id} ${setting.windowTokens / 1_000}K ${setting.editSafety}`,
  })),
);

const signal = new AbortController().signal;

describe.skipIf(runs.length === 0)("recorded sessions (skipped without the corpus)", () => {
  it.each(runs)("$name", async ({ name, path, windowTokens, editSafety }) => {
    const { sessions } = await importFile(path, { signal });
    const run = new GoldenRun();
    for (const [index, imported] of sessions.entries())
      await replay(imported, { run, root: join(folder, name, String(index)), windowTokens, editSafety });
    expect(goldens.findDifference(name, run.record(name))).toBeUndefined();
  });
});

async function replay(
  imported: ImportedSession,
  { run, root, windowTokens, editSafety }: Setting & { readonly run: GoldenRun; readonly root: string },
): Promise<void> {
  const messages = imported.items.filter((item) => item.type === "message");
  const clock = new FakeClock(
    messages.find(({ message }) => message.at !== undefined)?.message.at ?? BEGIN_MS,
  );
  const ids = seededIds();
  // When the store names a temporary file depends on how fast it is.
  const store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: seededIds(2) });
  const session = await createSession({
    ...{ store, clock, ids, hasher: nodeHasher, durability: "process", sessionId: "golden" },
    window: { windowTokens, editSafety },
    source: { format: imported.format },
  });
  const model = modelOf(messages);
  const { system, tools } = imported;
  const replayed: Replayed = {
    ...{ run, session, clock, usage: new RecordedUsage({ model }) },
    request: {
      ...{ model, historyTools: true },
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    },
  };
  try {
    for (const step of planReplay(imported.items)) await take(step, replayed);
  } catch (error) {
    // Some recorded system prompts leave no room in a small window: the refusal is part of the golden.
    if (!(error instanceof PalimpsestError)) throw error;
    run.request({ refused: error.code });
  }
  await session.close();
  const log = await store.open("golden");
  for await (const { entries, damage } of log.readAll()) {
    expect(damage).toEqual([]);
    for (const { entry } of entries) run.line(entry);
  }
  await log.close();
}

interface Replayed {
  readonly run: GoldenRun;
  readonly session: Session;
  readonly clock: FakeClock;
  readonly usage: RecordedUsage;
  readonly request: { readonly model: string };
}

async function take(step: ReplayStep, replayed: Replayed): Promise<void> {
  const { session, clock, usage } = replayed;
  if (step.type === "metadata") {
    if (step.isBoundary) usage.contextReplaced();
    await session.setMetadata(step.key, step.value);
  } else if (step.type === "append") {
    usage.added(step.item);
    advance(clock, step.item);
    await session.append(step.item.message);
  } else await call(step.answer, replayed);
}

async function call(
  answer: readonly ImportedMessage[],
  { run, session, clock, usage, request }: Replayed,
): Promise<void> {
  const prepared = await session.prepare(request);
  addRequest(prepared, run);
  if (answer.length === 0) return;
  const sample = usage.answered(answer);
  for (const item of answer) advance(clock, item);
  const recorded = answer.find((item) => item.usage !== undefined)?.usage;
  const stopReason = answer.find((item) => item.stopReason !== undefined)?.stopReason;
  // The recorded usage belongs to another prompt: report usage 5 % above the estimate of this one.
  const promptTokens = Math.round(prepared.tokens.total * 1.05);
  const cacheReadTokens = Math.min(recorded?.cacheReadTokens ?? 0, Math.floor(promptTokens * 0.9));
  await session.record({
    messages: answer.map(({ message }) => message),
    stopReason,
    ...(recorded === undefined
      ? {}
      : {
          usage: {
            inputTokens: 0,
            cacheReadTokens,
            cacheWriteTokens: promptTokens - cacheReadTokens,
            outputTokens: recorded.outputTokens,
          },
        }),
  });
  if (sample !== undefined) session.calibrate(sample);
}

/** Adds the request in three wire formats. */
function addRequest({ model, system, tools, messages, cacheMarks }: PreparedCall, run: GoldenRun): void {
  run.request({
    ...{ model, system, tools },
    anthropic: toAnthropic(messages, { cacheMarks }),
    chat: toOpenAIChat(messages),
    responses: toOpenAIResponses(messages),
  });
}

function advance(clock: FakeClock, { message: { at } }: ImportedMessage): void {
  clock.set(Math.max(clock.nowMs(), at ?? clock.nowMs() + STEP_MS));
}

/** Finds the model with most messages; a fixed one if the recording names none. */
function modelOf(messages: readonly ImportedMessage[]): string {
  const counts = new Map<string, number>();
  for (const { message } of messages)
    if (message.model !== undefined && message.model !== "<synthetic>")
      counts.set(message.model, (counts.get(message.model) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? DEFAULT_MODEL;
}
