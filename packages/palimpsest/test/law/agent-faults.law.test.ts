/**
 * Laws of sessions with a model that fails: random faults at random calls, aborts, input and compactions in
 * the middle of everything, on every policy, strict and permissive. Whatever happens, every turn ends, with no
 * more calls than are allowed, and nothing that was said is lost.
 */
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import {
  describeStep,
  FaultyLife,
  type LifeOptions,
  type LifeStep,
  type Player,
  type Prompter,
} from "#test/helpers/faulty-life.ts";
import { FAULTS, type FaultName, faultyModel } from "#test/helpers/faulty-model.ts";
import { faultyProvider, WIRE_NAMES } from "#test/helpers/faulty-provider.ts";
import { NOTES_MANNERS } from "#test/helpers/notes-manners.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 3, long: 120, soak: 4_000 });
const HTTP_RUNS = bySize({ usual: 1, long: 15, soak: 400 });

const EDIT_TOOL = { name: "Edit" };

const anyLife: fc.Arbitrary<LifeOptions> = fc.record({
  windowTokens: fc.constantFrom(16_000, 16_000, 32_000, 32_000, 64_000, 200_000),
  policy: fc.constantFrom("economy", "economy", "economy", "balanced", "balanced", "faithful", "off"),
  systemShare: fc.constantFrom(0, 0.1, 0.2),
  hasSummaryModel: fc.boolean(),
  notes: fc.oneof(
    { weight: 1, arbitrary: fc.constant("off" as const) },
    {
      weight: 4,
      arbitrary: fc
        .record({
          updater: fc.constantFrom("forked", "forked", "cold", "extractive"),
          isGated: fc.boolean(),
          costShareCap: fc.constantFrom<number | "off">("off", "off", 0.05, 0.5),
          hasEditTool: fc.boolean(),
        })
        .map(({ hasEditTool, ...notes }) => ({ ...notes, ...(hasEditTool ? { editTool: EDIT_TOOL } : {}) })),
    },
  ),
  /** An event during a call. */
  meanwhile: fc
    .array(fc.tuple(fc.nat(90), fc.constantFrom("abort", "input", "compact")), { maxLength: 6 })
    .map((pairs) => new Map(pairs)),
});
const anyProvider = fc.record({
  wire: fc.constantFrom(...WIRE_NAMES),
  seed: fc.nat(),
  share: fc.constantFrom(0, 0.1, 0.3),
});
const anyModel = fc.record({
  model: fc.constantFrom("claude-sonnet-4-5", "claude-opus-5-5", "gpt-4.1", "gpt-5.6-sol"),
  ratio: fc.constantFrom(0.85, 1, 1.15),
  summaryFault: fc.option(fc.constantFrom("cut-off", "inflated", "stray-call", "too-long-without-numbers"), {
    nil: undefined,
    freq: 2,
  }),
  faults: fc
    .array(fc.tuple(fc.nat(90), fc.constantFrom(...FAULTS)), { maxLength: 30 })
    .map((pairs) => new Map(pairs)),
  notesManners: fc.array(fc.constantFrom("well", ...NOTES_MANNERS), { minLength: 1, maxLength: 6 }),
});

const turn = fc.record({
  do: fc.constant("turn" as const),
  by: fc.constantFrom("turn", "streamed", "host"),
  calls: fc.nat(12),
  resultShare: fc.constantFrom(0.01, 0.04, 0.12, 0.3),
});
const anyStep: fc.Arbitrary<LifeStep> = fc.oneof(
  { weight: 8, arbitrary: turn },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("compact" as const),
      side: fc.constantFrom("whole", "whole", "from", "upTo"),
      pick: fc.nat(1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("undo" as const), pick: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const), isClean: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(60_000, 4e6) }) },
);

/** Outcomes of updates of notes, over all lives. */
const updates = new Map<string, number>();
afterAll(() => console.info(`updates of notes: ${JSON.stringify([...updates].sort())}`));

const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 10 });

async function liveThrough(
  steps: readonly LifeStep[],
  options: LifeOptions,
  play: (prompter: Prompter) => Player | Promise<Player>,
): Promise<void> {
  const life = await FaultyLife.begin(options, play);
  try {
    for (const step of steps) {
      const error = await life.live(step);
      if (error !== undefined && !(error instanceof PalimpsestError))
        throw new RangeError(`${describeStep(step)} threw ${String(error)}`, { cause: error });
    }
    await life.end();
    for (const event of life.events) {
      if (event.type !== "notes-update") continue;
      const ended = `${event.form} ${event.outcome}`;
      updates.set(ended, (updates.get(ended) ?? 0) + 1);
    }
    expect(life.problems).toEqual([]);
  } finally {
    await life.leave();
  }
}

it("ends every turn within the limits of its calls, sends nothing wrong, and loses nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, anyModel, anySteps, (options, model, steps) =>
      liveThrough(steps, options, (prompter) =>
        faultyModel({ ...model, windowTokens: options.windowTokens }, prompter),
      ),
    ),
    { numRuns: RUNS },
  );
});

it.each<{
  readonly why: string;
  readonly life: LifeOptions;
  readonly model: { readonly summaryFault: FaultName };
  readonly steps: readonly LifeStep[];
}>([
  {
    why: "two compactions by hand begin while the engine's own summary is tried again",
    life: {
      windowTokens: 16_000,
      policy: "economy",
      systemShare: 0,
      hasSummaryModel: false,
      notes: "off",
      meanwhile: new Map([
        [4, "compact"],
        [5, "compact"],
      ]),
    },
    model: { summaryFault: "too-long-without-numbers" },
    steps: [
      { do: "turn", by: "turn", calls: 4, resultShare: 0.12 },
      { do: "turn", by: "turn", calls: 0, resultShare: 0.01 },
    ],
  },
])("holds where $why", async ({ life, model, steps }) => {
  const { windowTokens } = life;
  const given = { model: "gpt-5.6-sol", ratio: 1.15, faults: new Map(), windowTokens, ...model };
  await liveThrough(steps, life, (prompter) => faultyModel(given, prompter));
});

it("does so over HTTP, with the vendors' own SDKs", async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, anyProvider, anySteps, (options, provider, steps) =>
      liveThrough(steps, { ...options, windowTokens: Math.min(options.windowTokens, 64_000) }, (prompter) =>
        faultyProvider({ ...provider, windowTokens: Math.min(options.windowTokens, 64_000) }, prompter),
      ),
    ),
    { numRuns: HTTP_RUNS },
  );
});
