/**
 * Every kind of damage that we could think of: the session opens, providers accept its first request, it
 * continues, and the damage is reported. `docs/reference/damage.md` lists the outcome of each kind.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { isLong, usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { judgeKind } from "./judge-kind.ts";
import type { Kind } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import { type Stored, soundSession } from "./sound-session.ts";
import { formatOutcome, formatTable, type Judged, readOutcomes } from "./table.ts";

const DOCUMENT = "../../../../../docs/reference/damage.md";
const DOCUMENT_URL = new URL(DOCUMENT, import.meta.url);

let plain: Stored;
let checkpointed: Stored;
const judged: Judged[] = [];

beforeAll(async () => {
  plain = await soundSession({ hasCheckpoint: false });
  checkpointed = await soundSession({ hasCheckpoint: true });
});

const isStored = ({ messages, needsCheckpoint }: Kind): boolean =>
  messages === undefined && needsCheckpoint !== true;

describe("damage", () => {
  it.each(usualFew(KINDS, 25))("$level: $name", async (kind) => {
    const verdict = await judgeKind(kind, kind.needsCheckpoint === true ? checkpointed : plain);
    judged.push({ kind, verdict });
    expect(verdict.wrong).toEqual([]);
    expect([...verdict.lost].sort(), "lost").toEqual([...(kind.costs ?? [])].sort());
    // Damage is reported; if not, the kind has the reason.
    expect(verdict.reported.length === 0, `told ${verdict.reported}`).toBe(kind.quiet !== undefined);
  });

  it("has its table in the documents", async () => {
    expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length);
    expect(KINDS.length).toBeGreaterThanOrEqual(120);
    if (isLong) await expect(formatTable(judged)).toMatchFileSnapshot(DOCUMENT);
    const outcomes = readOutcomes(readFileSync(DOCUMENT_URL, "utf8"));
    expect(outcomes.size).toBe(KINDS.length);
    expect(judged.map(({ kind }) => [kind.name, outcomes.get(kind.name)])).toEqual(
      judged.map((one) => [one.kind.name, formatOutcome(one)]),
    );
  });
});

describe.runIf(isLong)("damage before and behind a checkpoint", () => {
  it.each(KINDS.filter(isStored))("$level: $name", async (kind) => {
    const { wrong, lost } = await judgeKind(kind, checkpointed);
    expect(wrong).toEqual([]);
    expect(lost.filter((mark) => kind.costs?.includes(mark) !== true)).toEqual([]);
  });
});
