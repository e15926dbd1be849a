/** Claims of a report: no tick beside unread parts, repairs in groups, the file by its name. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runReplay } from "#replay/replay-command.ts";
import { groupRepairs } from "#replay/report/repair-groups.ts";
import { renderWindowChart } from "#replay/report/window-chart.ts";
import { formatRanges } from "#terminal/figures.ts";
import { createStyles } from "#terminal/styles.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { openaiChat, testFolder, writeTestFile } from "../../../../test/helpers/recordings.ts";

const say = (role: string, content: unknown): string => `${JSON.stringify({ role, content })}\n`;

async function printed(text: string, columns = 100): Promise<string> {
  const context = cliDouble({ columns });
  await runReplay([writeTestFile("talk.jsonl", text)], { windowSizes: [] }, context);
  return context.written.out;
}

describe("a report", () => {
  it("gives no tick for completeness where a record could not be read", async () => {
    const out = await printed(`${say("user", "hello")}{"role":"assist\n${say("assistant", "hi")}`);
    expect(out).toContain("· What was read all 2 original blocks read back");
    expect(out).toContain(
      "· Not read      1 record of 15 B in the file could not be read and is missing here",
    );
    expect(out).not.toContain("Nothing lost");
  });

  it("gives no ticks for calls that were never made", async () => {
    const out = await printed(say("assistant", "I speak to an empty room."));
    expect(out).toContain("· No calls");
    expect(out).not.toMatch(/It fits|It is valid|It is exact/);
  });

  it("draws no picture of a handful of calls", async () => {
    const short = await printed(`${say("user", "hello")}${say("assistant", "hi")}`);
    expect(short).not.toContain("call 1");
  });

  it("puts the names of checks on lines of their own where there is little room", async () => {
    const out = await printed(`${say("user", "hello")}${say("assistant", "hi")}`, 30);
    expect(out).toContain("  · Not judged\n    1 call: the largest");
  });
});

describe("the figures", () => {
  it("name the file as it was given, also of what cannot be read", async () => {
    const context = cliDouble();
    const file = writeTestFile("a.json", openaiChat(2));
    await runReplay([file, "no/such/file"], { windowSizes: [], json: true }, context);
    const { sessions } = JSON.parse(context.written.out) as { sessions: Record<string, unknown>[] };
    expect(sessions.map((session) => session["file"])).toEqual([file, "no/such/file"]);
    expect(sessions[0]).toMatchObject({
      source: { entries: 9 },
      notRead: { records: 0, bytes: 0, isCutOff: false },
    });
  });

  it("of kept sessions are listed beside them, by file and window", async () => {
    const keep = testFolder();
    const file = writeTestFile("a.json", openaiChat(2));
    for (const size of [64_000, 32_000])
      await runReplay([file], { windowSizes: [size], keep, quiet: true }, cliDouble());
    const index = JSON.parse(readFileSync(join(keep, "sessions.json"), "utf8")) as {
      sessions: Record<string, unknown>[];
    };
    expect(index.sessions).toMatchObject([
      { file, windowTokens: 64_000 },
      { file, windowTokens: 32_000 },
    ]);
  });
});

describe("groupRepairs", () => {
  it("tells those of a kind together, in the order of their lines", () => {
    const parent = { kind: "missing-parent", detail: "it is taken to follow the record before it" } as const;
    expect(
      groupRepairs(
        [
          { kind: "torn-tail", line: 9, detail: "left out" },
          { ...parent, line: 3 },
          { ...parent, line: 1 },
          { ...parent, line: 2 },
        ],
        [{ reason: "missing-result", subject: "toolu_1" }],
      ),
    ).toEqual([
      "3 × missing-parent, lines 1–3: it is taken to follow the record before it",
      "torn-tail, line 9: left out",
      "missing-result, in the conversation: toolu_1",
    ]);
  });

  it.each([
    { numbers: [], text: "" },
    { numbers: [4], text: "4" },
    { numbers: [1, 2, 3, 7, 9, 10], text: "1–3, 7, 9–10" },
  ])("lists $numbers as $text", ({ numbers, text }) => {
    expect(formatRanges(numbers)).toBe(text);
  });
});

it("a picture has one colour for each run of cells", () => {
  const calls = Array.from({ length: 60 }, () => ({ tokens: 60_000, marks: [] }));
  const styles = createStyles({ isColored: true });
  const lines = renderWindowChart({ calls, windowTokens: 64_000, thresholds: [] }, { columns: 80, styles });
  for (const line of lines) expect(line.split("\u001b[36m").length - 1).toBeLessThanOrEqual(1);
});
