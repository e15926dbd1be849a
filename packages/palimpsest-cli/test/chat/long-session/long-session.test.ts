/**
 * 600 turns of one session over HTTP, on two wires and in two windows: every layer acts, everything that is shown again after a
 * compaction is in the request that the vendor gets next, no request is refused, and at the end the agent still knows what
 * was said in the first turns. The soak has all four sessions, the long run two shorter ones, the default run a short one.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";
import { type Life, type LifeOptions, liveLong } from "./life.ts";

const SHORT: readonly LifeOptions[] = [
  {
    ...{ wire: "anthropic", windowTokens: 32_000, turns: 14, isShort: true },
    ...{ folders: ["compaction/restore"], parts: [["balanced", "strict"]] },
  },
];

const SOAK: readonly LifeOptions[] = (["anthropic", "openai"] as const).flatMap((wire) =>
  [64_000, 200_000].map((windowTokens) => ({
    ...{ wire, windowTokens, turns: 600, isShort: false, folders: ["compaction", "session"] },
    parts: [
      ["balanced", "strict"],
      ["economy", "permissive"],
      ["faithful", "permissive"],
      ["classic", "permissive"],
      ["balanced", "strict"],
    ] as const,
  })),
);

/** Each wire and each window once; the large one is full less often, and needs all turns for every layer to act. */
const LONG: readonly LifeOptions[] = [{ ...SOAK[0]!, turns: 300 }, SOAK[3]!];

/** The heading of a restored thing, or its name. */
const HEADINGS: Readonly<Record<string, string>> = {
  "deferred-tools": "Tools that mcp_call has",
  "git-status": "State of version control",
  "mcp-instructions": "Instructions of a server",
  plan: "Current plan",
  "plan-mode": "Plan mode is on",
  task: "Background tasks",
  todos: "Task list",
};

describe.each(
  bySize({ usual: SHORT, long: LONG, soak: SOAK }),
)("$turns turns on the $wire wire, in $windowTokens tokens", (options) => {
  let life: Life;
  beforeAll(async () => {
    life = await liveLong(options);
  }, 900_000);
  afterAll(() => life.place.provider.close());

  it("no request is refused or too long, and no turn fails", () => {
    const { violations, overflows } = life.place.provider;
    expect({ failures: life.failures, violations, overflows }).toEqual({
      failures: [],
      violations: [],
      overflows: [],
    });
  });

  it("every layer acts, and nothing of the session fails", () => {
    const layers = new Set(life.events.flatMap((event) => (event.type === "layer" ? [event.layer] : [])));
    const early = life.events.filter((event) => event.type === "layer" && event.edit.reason === "rent");
    const all = ["collapse", "extractive", "full", "microcompact", "offload", "session-memory"];
    expect([...layers].sort()).toEqual(options.isShort ? expect.arrayContaining(["extractive"]) : all);
    if (!options.isShort) expect(early.length).toBeGreaterThan(0);
    expect(life.events.filter(({ type }) => /failed|broken|damage|distrusted/.test(type))).toEqual([]);
  });

  it("what is shown again after a compaction is in the next request", () => {
    const kinds = new Set(life.compactions.flatMap(({ restored }) => restored.map(({ kind }) => kind)));
    const all = [
      "deferred-tools",
      "file",
      "git-status",
      "instructions",
      "mcp-instructions",
      "plan",
      "plan-mode",
      "skill",
      "task",
      "todos",
    ];
    const few = ["deferred-tools", "git-status", "mcp-instructions", "plan-mode", "skill", "task"];
    expect([...kinds].sort()).toEqual(options.isShort ? expect.arrayContaining(few) : all);
    const missing = life.compactions.flatMap(({ restored, next }) =>
      restored.filter(({ kind, key }) => !next.includes(HEADINGS[kind] ?? JSON.stringify(key).slice(1, -1))),
    );
    expect(missing).toEqual([]);
  });

  it("running commands, agents, the skill in use, the plan, instructions and the hook's words are there to the letter", () => {
    const seen = (text: string): number => life.compactions.filter(({ next }) => next.includes(text)).length;
    expect(seen("Today is 2026-")).toBe(life.compactions.length);
    for (const text of ["watch the tide gauge", "count the gulls", "BOLLARD-12", "METRE-5", "harbour.tide"])
      expect([text, seen(text)]).toEqual([text, expect.toSatisfy((count: number) => count > 0)]);
    if (options.isShort) return;
    expect(seen("QUAY-88")).toBeGreaterThan(0);
    expect(seen("ANCHOR-31")).toBeGreaterThan(0);
  });

  it("the agent answers what was said in the first turns: from pins, notes, memory and history", () => {
    expect(life.answers).toEqual({
      pin: expect.stringContaining(" HERON-4711"),
      notes: expect.stringContaining(options.isShort ? "port 9090" : "ticket TRAM-8123"),
      memory: expect.stringContaining(" port 9090"),
      history: expect.stringContaining(" locker 5521"),
    });
    // The pin never left the window.
    expect(life.compactions.filter(({ next }) => !next.includes("HERON-4711"))).toEqual([]);
  });
});
