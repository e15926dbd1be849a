import { describe, expect, it } from "vitest";
import { asksForSummary } from "#test/agent/fake-model.ts";
import { callOf, docsTool, setTheStage } from "#test/agent/stage.ts";

const docs = docsTool(800);
const longDocs = docsTool(1_600);
const readFile = {
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object" },
  run: () => "     1\texport const answer = 42;\n     2\texport const question = undefined;",
};
const reads = (_: unknown, index: number) =>
  index === 12
    ? ([{ type: "tool_use", id: "read", name: "Read", input: { file_path: "/repo/src/answer.ts" } }] as const)
    : index > 45
      ? "Done."
      : callOf(index);

const textsOf = (message: { readonly blocks: readonly { readonly block: object }[] } | undefined): string =>
  JSON.stringify(message?.blocks.map(({ block }) => block) ?? "");

describe("after a compaction", () => {
  it("files that were in use are shown again, behind the summary and in the same rewrite", async () => {
    const { session, events, eventNames } = await setTheStage({ answer: reads });
    await session.turn("Read everything.", { tools: [docs, readFile] });
    expect(eventNames().filter((name) => name.startsWith("full"))).toHaveLength(1);
    const [summary, restored] = session.session.visible;
    expect(summary?.origin).toBe("summary");
    expect(restored?.origin).toBe("restored");
    expect(textsOf(restored)).toContain("export const answer = 42;");
    expect(events.find(({ type }) => type === "restored")).toMatchObject({
      restorer: "recent-files",
      key: "/repo/src/answer.ts",
    });
  });

  it("skills that the model invoked are shown again, after every compaction and after opening again", async () => {
    const skill = {
      name: "Skill",
      description: "Invokes a skill.",
      inputSchema: { type: "object" },
      run: () => "Render each page and look at it before you say that it is right.\n".repeat(5),
    };
    const invoke = [{ type: "tool_use", id: "s", name: "Skill", input: { skill: "pdf" } }] as const;
    const answer = (_: unknown, index: number) =>
      index === 3 ? invoke : index % 23 === 22 ? "Done." : callOf(index);
    const { palimpsest, session, events, eventNames } = await setTheStage({ answer });
    await session.turn("Read everything.", { tools: [longDocs, skill] });
    await session.turn("Read on.", { tools: [longDocs, skill] });
    const compactions = eventNames().filter((name) => name.startsWith("full")).length;
    expect(compactions).toBeGreaterThan(1);
    const restored = events.flatMap((event) =>
      event.type === "restored" && event.kind === "skill" ? [event.key] : [],
    );
    expect(restored).toEqual(Array.from({ length: compactions }, () => "pdf"));
    expect(textsOf(session.session.visible[1])).toContain("Render each page");
    await palimpsest.close();
    const again = await palimpsest.session("s1");
    await again.turn("Read more.", { tools: [longDocs, skill] });
    await again.compact();
    expect(
      events.filter((event) => event.type === "restored" && event.kind === "skill").length,
    ).toBeGreaterThan(compactions);
  });

  it("a file is read again by the host where it can", async () => {
    const { session } = await setTheStage({
      answer: reads,
      fileReader: { read: async () => ({ state: "present", text: "export const answer = 43;" }) },
    });
    await session.turn("Read everything.", { tools: [docs, readFile] });
    expect(textsOf(session.session.visible[1])).toContain("export const answer = 43;");
  });

  it("restorers of the host are asked, and one that hangs or throws is passed over", async () => {
    const { session, events } = await setTheStage({
      restorers: [
        {
          name: "tasks",
          restore: async () => [
            { kind: "task", key: "t1", text: "The build runs; its output is in build.log." },
          ],
        },
        {
          name: "broken",
          restore: async () => {
            throw new Error("no");
          },
        },
      ],
    });
    await session.turn("Read everything.", { tools: [docs] });
    expect(textsOf(session.session.visible[1])).toContain("its output is in build.log");
    expect(events.find(({ type }) => type === "restore-skipped")).toMatchObject({
      restorer: "broken",
      reason: "failed",
    });
  });

  it("the window stays within its target, whatever is shown again", async () => {
    const { session, events } = await setTheStage({
      restorers: [
        {
          name: "flood",
          budgetTokens: 1_000_000,
          itemTokens: 1_000_000,
          restore: async () => [{ kind: "note", key: "all", text: "words ".repeat(100_000) }],
        },
      ],
    });
    await session.turn("Read everything.", { tools: [docs] });
    const at = events.findIndex((event) => event.type === "layer");
    const next = events.slice(at).find((event) => event.type === "call");
    expect(next?.type === "call" ? next.tokens : 0).toBeLessThan(28_800 * 0.4);
    expect(events.some(({ type }) => type === "useless-compaction")).toBe(false);
  });

  it("what was announced is remembered after opening again", async () => {
    const asked: unknown[] = [];
    const restorer = {
      name: "skills",
      restore: async ({ announced }: { readonly announced: object }) => {
        asked.push({ ...announced });
        return [{ kind: "skill", key: "review", text: "How to review.", announces: { review: 7 } }];
      },
    };
    const stage = await setTheStage({ calls: 45, restorers: [restorer] });
    await stage.session.turn("Read everything.", { tools: [docs] });
    await stage.palimpsest.close();
    const again = await stage.palimpsest.session("s1");
    await again.compact();
    expect(asked).toEqual([{}, { review: 7 }]);
    expect(stage.model.requests.filter(asksForSummary)).toHaveLength(2);
  });
});
