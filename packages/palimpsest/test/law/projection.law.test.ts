/**
 * Laws of the log and its window, over random histories and random edit sequences.
 */
import fc from "fast-check";
import { type HistoryStep, history } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import type { LogContents } from "#ports/session-store.ts";
import { findOutlineStart } from "#session/lifecycle/outline-start.ts";
import { TestLog } from "#test/helpers/histories.ts";
import { planCheckpoint, restoreCheckpoint } from "#transcript/checkpoint.ts";
import type { Edit, EffectEdit } from "#transcript/edits.ts";
import type { CheckpointEntry, Entry } from "#transcript/entries.ts";
import { checkRequest } from "#transcript/invariants.ts";
import { type Projection, project } from "#transcript/projection.ts";
import { planRepair } from "#transcript/repair.ts";
import { assembleRequest, RequestAssembler } from "#transcript/request.ts";
import { groupRounds, type RequestMessage } from "#transcript/window.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 40, long: 5_000, soak: 200_000 });

/** A session without an engine: the log, the window folded along, and what the last call sent. */
class Run {
  readonly log = new TestLog();
  projection: Projection = project([]);
  sent: readonly RequestMessage[] | undefined;
  readonly #reopen: (projection: Projection, entries: readonly Entry[]) => Projection;

  /** `reopen`: done in the steps of this name. */
  constructor(reopen = reopened) {
    this.#reopen = reopen;
  }

  step(step: HistoryStep): void {
    if (step.do === "append") this.#apply(this.log.message(step.message));
    else if (step.do === "call") this.#call();
    else if (step.do === "hide") this.#hide(step.pick, step.span, step.summary);
    else if (step.do === "reshape") this.#reshape(step.pick, step.isRemoved);
    else if (step.do === "undo") this.#undo(step.pick);
    else if (step.do === "reopen") this.projection = this.#reopen(this.projection, this.log.entries);
    else if (this.log.entries.length === 0) return;
    else if (step.do === "pin") this.#edit({ kind: "pin", seq: 1 + (step.pick % this.log.entries.length) });
    else this.#edit({ kind: "rewind", toSeq: 1 + (step.pick % this.log.entries.length) });
  }

  #apply(entry: Entry): void {
    if (!this.projection.canApply(entry)) this.projection = project(this.log.entries.slice(0, -1));
    this.projection.apply(entry);
  }

  #edit(edit: Edit): void {
    this.#apply(this.log.edit(edit));
    this.sent = undefined;
  }

  #call(): void {
    const repair = planRepair(this.projection.visible, this.projection.callSeqs);
    if (repair !== undefined) this.#apply(this.log.edit(repair));
    const request = assembleRequest(this.projection.visible, this.projection.callSeqs);
    expect(checkRequest(request, "anthropic")).toEqual([]);
    expect(planRepair(this.projection.visible, this.projection.callSeqs)).toBeUndefined();
    if (this.sent !== undefined) expectPrefix(this.sent, request);
    if (request.length === 0) return;
    this.#apply(this.log.call());
    this.sent = request;
  }

  /** Hides whole rounds behind a summary, as every layer does. */
  #hide(pick: number, span: number, summary: string): void {
    const { visible } = this.projection;
    const rounds = groupRounds(visible);
    if (rounds.length < 2) return;
    const first = pick % (rounds.length - 1);
    const last = first + (span % (rounds.length - 1 - first));
    const from = visible[rounds[first]!.start]!;
    const to = visible[rounds[last]!.end - 1]!;
    this.#undoable({
      kind: "collapse",
      reason: "test",
      freedTokens: 0,
      effect: {
        hide: [{ from: from.seq, to: to.seq }],
        hideInserted: visible
          .slice(rounds[first]!.start, rounds[last]!.end)
          .flatMap((message) => message.insertedBy ?? []),
        insert: [
          {
            afterSeq: to.seq,
            messages: [
              { role: "user", origin: "summary", content: [{ type: "text", text: `[${summary}]` }] },
            ],
          },
        ],
      },
    });
  }

  #reshape(pick: number, isRemoved: boolean): void {
    const results = this.projection.visible.flatMap((message) =>
      message.insertedBy === undefined
        ? message.blocks.flatMap((visible) =>
            visible.block.type === "tool_result" ? [{ seq: message.seq, visible }] : [],
          )
        : [],
    );
    const chosen = results[pick % Math.max(1, results.length)];
    if (chosen === undefined) return;
    const { block, index } = chosen.visible;
    const shown = isRemoved ? {} : { shown: { ...block, content: "[cleared]" } as typeof block };
    this.#undoable({
      kind: "microcompact",
      reason: "test",
      freedTokens: 0,
      effect: { forms: [{ seq: chosen.seq, block: index, ...shown }] },
    });
  }

  /** Applies an edit, takes it back at once and applies it again: the window in between is the one before. */
  #undoable(edit: EffectEdit): void {
    const before = [...this.projection.visible];
    this.#edit(edit);
    const editSeq = this.log.entries.length;
    this.#edit({ kind: "undo", editSeq });
    expect(this.projection.visible).toEqual(before);
    this.#edit(edit);
  }

  #undo(pick: number): void {
    const edits = this.projection.activeEdits;
    const chosen = edits[pick % Math.max(1, edits.length)];
    if (chosen !== undefined) this.#edit({ kind: "undo", editSeq: chosen.seq });
  }
}

/** Opens the log as from its tail: only what a checkpoint written now names. */
function reopened(projection: Projection, entries: readonly Entry[]): Projection {
  const index = planCheckpoint(projection, (seq) => seq);
  if (index === undefined) throw new Error("a position is always known here");
  const checkpoint = {
    type: "checkpoint",
    seq: projection.headSeq,
    id: "cp",
    v: 1,
    at: 0,
    ...index,
  } as CheckpointEntry;
  const stored = JSON.parse(JSON.stringify(checkpoint)) as CheckpointEntry;
  const named = stored.runs.flatMap((run) =>
    entries.filter((entry) => entry.seq >= run.from && entry.seq <= run.to),
  );
  return restoreCheckpoint(stored, named);
}

const flat = (request: readonly RequestMessage[]) =>
  request.flatMap((message) => message.content.map((block) => JSON.stringify([message.role, block])));

function expectPrefix(sent: readonly RequestMessage[], next: readonly RequestMessage[]): void {
  expect(flat(next).slice(0, flat(sent).length)).toEqual(flat(sent));
}

/** A log whose positions are indexes, two entries a batch. */
async function* stored(entries: readonly Entry[]): AsyncGenerator<LogContents> {
  for (let from = 0; from < entries.length; from += 2)
    yield {
      entries: entries.slice(from, from + 2).map((entry, index) => ({ entry, position: from + index })),
      damage: [],
    };
}

describe("the log and its window, over random histories", () => {
  it("is valid at every call, append-stable between edits, and undone exactly", () => {
    fc.assert(
      fc.property(history(), (steps) => {
        const run = new Run();
        for (const step of steps) run.step(step);
        run.step({ do: "call" });
      }),
      { numRuns: RUNS },
    );
  });

  it("is the same window whether folded along, from nothing, or from a checkpoint", () => {
    fc.assert(
      fc.property(history(), (steps) => {
        const run = new Run();
        for (const step of steps) {
          run.step(step);
          expect(reopened(run.projection, run.log.entries).visible).toEqual(run.projection.visible);
        }
        expect(run.projection.visible).toEqual(project(run.log.entries).visible);
      }),
      { numRuns: RUNS },
    );
  });

  it("is the same window if what is hidden was let go of", () => {
    fc.assert(
      fc.property(history(), (steps) => {
        const run = new Run((projection) => {
          projection.forgetHidden();
          return projection;
        });
        for (const step of steps) {
          run.step(step);
          expect(run.projection.visible).toEqual(project(run.log.entries).visible);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("assembles along what it assembles from nothing", () => {
    fc.assert(
      fc.property(history(), (steps) => {
        const run = new Run();
        for (const step of steps) run.step(step);
        const { visible, callSeqs } = run.projection;
        const assembler = new RequestAssembler();
        for (const message of visible) assembler.push(message, callSeqs);
        expect(assembler.messages).toEqual(assembleRequest(visible, callSeqs));
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps the form of an inserted message whose neighbour is hidden", () => {
    const log = new TestLog();
    log.message({ role: "assistant", content: [{ type: "text", text: "one" }] });
    log.message({ role: "user", content: [{ type: "text", text: "two" }] });
    const inserted = { role: "user", content: [{ type: "text", text: "put in" }] } as const;
    const insert = [{ afterSeq: 1, messages: [inserted] }];
    const { seq } = log.edit({ kind: "host", reason: "test", effect: { insert } });
    const shown = { type: "text", text: "otherwise" } as const;
    const forms = [{ seq: 1, insertedBy: seq, block: 0, shown }];
    log.edit({ kind: "host", reason: "test", effect: { forms } });
    log.edit({ kind: "host", reason: "test", effect: { hide: [{ from: 1, to: 1 }] } });
    const whole = project(log.entries);
    expect(whole.visible.flatMap(({ blocks }) => blocks.map(({ block }) => block))).toContainEqual(shown);
    expect(reopened(whole, log.entries).visible).toEqual(whole.visible);
  });

  it("is the same window where it is folded from where the outline of a log says", async () => {
    let started = 0;
    await fc.assert(
      fc.asyncProperty(history(), fc.integer({ min: 1, max: 6 }), async (steps, outlineStepEntries) => {
        const run = new Run();
        for (const step of steps) run.step(step);
        const { entries } = run.log;
        const limits = { foldedWholeEntries: 4, outlineStepEntries };
        const start = await findOutlineStart({ readAll: () => stored(entries) }, limits);
        if (start === undefined) return;
        started++;
        const { runs } = start.checkpoint;
        const named = runs.flatMap(({ from, to, position }) =>
          entries.slice(position, position + 1 + to - from),
        );
        const projection = restoreCheckpoint(start.checkpoint, named);
        for (const entry of entries.slice(start.position)) {
          if (!projection.canApply(entry)) return;
          projection.apply(entry);
        }
        expect(projection.visible).toEqual(project(entries).visible);
        expect(projection.pins).toEqual(project(entries).pins);
      }),
      { numRuns: RUNS },
    );
    expect(started).toBeGreaterThan(RUNS / 20);
  });

  it("loses nothing: every message is in the log as it was given", () => {
    fc.assert(
      fc.property(history(), (steps) => {
        const run = new Run();
        for (const step of steps) run.step(step);
        const given = steps.flatMap((step) => (step.do === "append" ? [step.message.content] : []));
        const kept = run.log.entries.flatMap((entry) => (entry.type === "message" ? [entry.content] : []));
        expect(kept).toEqual(given);
      }),
      { numRuns: RUNS },
    );
  });
});
