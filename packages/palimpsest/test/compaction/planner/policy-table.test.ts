/**
 * When each policy compacts: the table of docs/reference/compaction-strategies.md, from the planner itself. With
 * PALIMPSEST_WRITE=1 the table is written instead of compared.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { type CostPolicy, costPolicy, POLICY_NAMES } from "#compaction/planner/cost-policy.ts";
import { arrivalPolicy } from "#compaction/planner/policies.ts";
import { WindowPlanner } from "#compaction/planner/window-planner.ts";
import { scaleTokens } from "#compaction/shared/measure.ts";
import { aWindowState } from "#test/compaction/layers/collapse/window-states.ts";
import { planBudget } from "#tokens/budget/budget.ts";
import type { Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { assistant, call, result, text, tokensOf, user } from "../../../../../test/helpers/windows.ts";

const DOCUMENT = fileURLToPath(
  new URL("../../../../../docs/reference/compaction-strategies.md", import.meta.url),
);
const BEGIN = "<!-- policies -->";
const END = "<!-- end of the policies -->";
const isWritten = process.env["PALIMPSEST_WRITE"] === "1";

/** A session whose calls add 1,000 tokens each, and whose history may not be edited; without a model for summaries. */
const CALLS = 180;
const messages: readonly Message[] = [
  user("please look at everything"),
  ...Array.from({ length: CALLS }, (_, turn) => [
    assistant(
      `r${turn}`,
      text(`I look at ${turn}.`),
      call(`c${turn}`, "mcp__db__query", { id: `row_${turn}` }),
    ),
    result(`c${turn}`, `value_${turn} of the row\n${"some line of code here\n".repeat(170)}`),
  ]).flat(),
];
const everything = asWindow(messages);
const WINDOWS = [
  { windowTokens: 200_000, fixedTokens: 30_000 },
  { windowTokens: 64_000, fixedTokens: 4_000 },
  { windowTokens: 32_000, fixedTokens: 4_000 },
] as const;

const thousands = (tokens: number): string =>
  Number.isFinite(tokens) ? `${Math.round(tokens / 1_000)}K` : "no limit";

/** The size of the first request that is compacted, why, and what the compaction leaves of it. */
function firstCompaction(policy: CostPolicy, { windowTokens, fixedTokens }: (typeof WINDOWS)[number]) {
  const planner = new WindowPlanner(policy);
  const digest = createDigest();
  let added = 0;
  for (let count = 1; count <= everything.length; count += 2) {
    for (; added < count; added++) addToDigest(digest, added + 1, messages[added]!);
    const visible = everything.slice(0, count);
    const messagesTokens = tokensOf(visible);
    const usedTokens = messagesTokens + fixedTokens;
    const state = aWindowState(visible, {
      windowTokens,
      fixedTokens,
      usedTokens,
      padding: 1,
      editSafety: "strict",
    });
    const plan = planner.plan(state, { digest, pinned: [] });
    if ("needs" in plan) throw new Error("the sources are there");
    if (plan.edits.length > 0) {
      expect(plan.edits.map(({ kind }) => kind)).toEqual(["extractive"]);
      return { usedTokens, reason: plan.edits[0]!.reason, leftTokens: plan.usedTokens };
    }
    planner.called(state, plan, messagesTokens);
  }
  throw new Error("no request was compacted");
}

function rowOf(name: (typeof POLICY_NAMES)[number]): string {
  const policy = costPolicy(name);
  const limits = WINDOWS.map(({ windowTokens }) => thousands(planBudget({ windowTokens }).blockingTokens));
  if (policy === undefined)
    return `| \`off\` | ${limits.map((limit) => `never; refused from ${limit} on`).join(" | ")} | only \`compact()\` does it | all | no limit |`;
  const found = WINDOWS.map((window) => firstCompaction(policy, window));
  const [first] = found;
  const sizes = found.map(
    ({ usedTokens, leftTokens }) => `${thousands(usedTokens)}, leaves ${thousands(leftTokens)}`,
  );
  const isEarly = first!.reason === "rent";
  const { earlyShare, largeEarlyShare: large, summaryMultiple } = policy;
  const inUse =
    large === undefined
      ? ""
      : `${large.share * 100} % (${earlyShare * 100} % below ${thousands(large.from)})`;
  const because = isEarly
    ? `the calls have paid ${summaryMultiple} times what a summary costs${earlyShare > 0 ? `, and ${inUse} of the window are in use` : ""}`
    : "the window is full";
  const tail = isEarly ? 0 : scaleTokens(policy.keptTail, 200_000);
  const block = WINDOWS.map(({ windowTokens }) =>
    thousands(arrivalPolicy(windowTokens, {}, policy.arrivalBlock).blockTokens),
  );
  return `| \`${name}\` | ${sizes.join(" | ")} | ${because} | ${tail < 1_000 ? "the newest" : `newest ${thousands(tail)}`} | ${[...new Set(block)].join(", ")} |`;
}

it("the table of the policies says when they compact", () => {
  const table = [
    "| Policy | compacts at, of 200K | of 64K | of 32K | because | Rounds that stay | New blocks whole up to |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...POLICY_NAMES.map(rowOf),
  ].join("\n");
  const document = readFileSync(DOCUMENT, "utf8");
  const [before, rest = ""] = document.split(`${BEGIN}\n`);
  const [written, after] = rest.split(`\n${END}`);
  if (isWritten) writeFileSync(DOCUMENT, `${before}${BEGIN}\n${table}\n${END}${after}`);
  else expect(written).toBe(table);
});
