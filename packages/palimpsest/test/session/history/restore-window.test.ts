/** The window of a checkpoint is read in few stretches of the log, however many runs it names. */
import { expect, it } from "vitest";
import type { SessionLog } from "#ports/session-store.ts";
import { restoreWindow } from "#session/history/restore-window.ts";
import { TestLog, text, user } from "#test/helpers/histories.ts";
import { planCheckpoint } from "#transcript/checkpoint.ts";
import { project } from "#transcript/projection.ts";

it("reads a session whose host left something out at each turn at once", async () => {
  const log = new TestLog();
  for (let turn = 0; turn < 60; turn++) {
    log.message(user(`said ${turn}`));
    const seq = log.entries.at(-1)!.seq;
    log.message(user(`left out ${turn}`));
    log.edit({ kind: "host", reason: "not in the list", effect: { hide: [{ from: seq + 1, to: seq + 1 }] } });
    log.call();
  }
  const last = log.entries.at(-1)!.seq;
  const summary = { role: "user", origin: "summary", content: [text("sum")] } as const;
  log.edit({
    ...{ kind: "extractive", reason: "test", freedTokens: 0, isBoundary: true },
    effect: { hide: [{ from: 1, to: last }], insert: [{ afterSeq: last, messages: [summary] }] },
  });
  log.message(user("visible"));
  const whole = project(log.entries);
  const index = planCheckpoint(whole, (seq) => seq)!;
  expect(index.runs.length).toBeGreaterThanOrEqual(60);
  let readsCount = 0;
  const stored = {
    readFrom: async (position: number, to: number) => {
      readsCount += 1;
      const read = log.entries.filter(({ seq }) => seq >= position && seq <= to);
      return { entries: read.map((entry) => ({ entry, position: entry.seq })) };
    },
  } as unknown as SessionLog;
  const checkpoint = { type: "checkpoint", seq: whole.headSeq + 1, id: "c", v: 1, at: 0, ...index } as const;
  const restored = await restoreWindow(checkpoint, stored);
  expect(restored?.visible).toEqual(whole.visible);
  expect(readsCount).toBeLessThan(4);
});
