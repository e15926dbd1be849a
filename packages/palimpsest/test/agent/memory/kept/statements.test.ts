/** The frozen table of statements (`packages/evaluation/bench/memory/tables`): what rules and a model's proposals keep. */
import { describe, expect, it } from "vitest";
import { extractByModel } from "#agent/memory/extraction/model-extraction.ts";
import { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { extractByRules } from "#memory/extraction/rule-extractor.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import {
  measureStatementsByModel,
  measureStatementsByRules,
} from "../../../../../evaluation/bench/memory/kept.mjs";

const library = { PersistentMemory, inMemoryMemoryStore, extractByModel, extractByRules };

describe("the table of statements", () => {
  it("is kept by rules where it has an explicit cue, and nothing else of it", () => {
    const results = measureStatementsByRules(library);
    expect(results).toHaveLength(228);
    const isKept = ({ kept }: { readonly kept: readonly string[] }) => kept.length > 0;
    const wanted = results.filter(({ verdict }) => verdict === "keep");
    expect([wanted.length, wanted.filter(isKept).length]).toEqual([92, 92]);
    expect(results.filter((row) => row.verdict === "drop" && isKept(row))).toEqual([]);
  });

  it("keeps the words of a request whole, in scripts without blanks too", () => {
    const bodyOf = (text: string) =>
      extractByRules([
        { id: "m1.0", message: { role: "user", content: [{ type: "text", text }] } },
      ]).proposals.map(({ body }) => body);
    expect(bodyOf("记住部署主机是delta-7。")).toEqual(["部署主机是delta-7。"]);
    expect(bodyOf("你能记住我的牙医是何医生吗？")).toEqual(["我的牙医是何医生"]);
    expect(bodyOf("Kannst du dir merken, dass mein Zahnarzt Halloran heißt?")).toEqual([
      "Mein Zahnarzt Halloran heißt",
    ]);
  });

  it("is kept as a good model proposes it, and most of the rest is refused even if a bad one proposes it", async () => {
    const results = await measureStatementsByModel(library);
    const written = (verdict: string) =>
      results.filter((row) => row.verdict === verdict && row.statuses.includes("written"));
    expect(["keep", "learn"].map((verdict) => written(verdict).length)).toEqual([92, 24]);
    const kinds = written("drop").map(({ kind }) => kind);
    for (const kind of ["code", "log", "question", "derivable"]) expect(kinds).not.toContain(kind);
    // 82 of 112 before proposals were looked at for what they say.
    expect(kinds.length).toBeLessThanOrEqual(32);
    const isAsked = results.every(({ asked }) => asked.length === 1);
    expect(isAsked).toBe(true);
  });
});
