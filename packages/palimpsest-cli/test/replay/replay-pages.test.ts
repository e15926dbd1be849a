/** `replay --html`, from the command to the files. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runReplay } from "#replay/replay-command.ts";
import { type CliDouble, cliDouble } from "../../../../test/helpers/cli-double.ts";
import { openaiChat, testFolder, writeTestFile } from "../../../../test/helpers/recordings.ts";

interface Asked {
  readonly windowSizes?: readonly number[];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

async function replayTo(
  html: string,
  files: readonly string[],
  asked: Asked = {},
  context: CliDouble = cliDouble(),
) {
  const options = { windowSizes: [], model: "gpt-4o", version: "1.2.3", html, ...asked };
  return { code: await runReplay(files, options, context), ...context.written };
}

const aFile = (): string => writeTestFile("ledgers.json", openaiChat(2));

describe("replay --html", () => {
  it("writes a page and says where and how large, beside the report", async () => {
    const html = join(testFolder(), "page.html");
    const { code, out, err } = await replayTo(html, [aFile()]);
    expect(code).toBe(0);
    expect(err).toMatch(/^Page of ledgers\.json: \S+page\.html \(\d[\d.]* KB\)\n$/);
    expect(out).toContain("read back by pointer");
    expect(readFileSync(html, "utf8")).toContain('"title":"ledgers.json · openai-chat"');
    expect(readFileSync(html, "utf8")).toContain('"palimpsest":"1.2.3"');
  });

  it("shows the figures of --json, and what each call cost", async () => {
    const html = join(testFolder(), "page.html");
    const { out } = await replayTo(html, [aFile()], { json: true });
    const [session] = (JSON.parse(out) as { sessions: [Record<string, unknown>] }).sessions;
    const text = /<script id="data"[^>]*>([\s\S]*?)<\/script>/.exec(readFileSync(html, "utf8"))?.[1] ?? "";
    const data = JSON.parse(text) as {
      figures: unknown;
      calls: { cost?: number; uncompactedCost?: number }[];
    };
    expect(data.figures).toEqual(session);
    expect(data.calls.every(({ cost, uncompactedCost }) => cost! > 0 && uncompactedCost! > 0)).toBe(true);
  });

  it("gives each session and each window a file of its own", async () => {
    const html = join(testFolder(), "page.html");
    const files = [aFile(), writeTestFile("letters.json", openaiChat(1))];
    const { err } = await replayTo(html, files, { windowSizes: [64_000, 32_000] });
    const names = ["ledgers-32k", "ledgers-64k", "letters-32k", "letters-64k"];
    expect(readdirSync(dirname(html)).toSorted()).toEqual(names.map((name) => `page-${name}.html`));
    expect(err.split("\n").filter((line) => line.startsWith("Page of "))).toHaveLength(4);
  });

  it("says nothing of what it wrote when asked to be quiet", async () => {
    const html = join(testFolder(), "page.html");
    const { err } = await replayTo(html, [aFile()], { quiet: true });
    expect(err).toBe("");
    expect(readdirSync(dirname(html))).toEqual(["page.html"]);
  });

  it("refuses a folder before anything is replayed", async () => {
    const context = cliDouble();
    await expect(replayTo(testFolder(), [aFile()], {}, context)).rejects.toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
    expect(context.written.out).toBe("");
  });

  it("goes on with the other sessions where a page cannot be written, and ends with 1", async () => {
    const html = join(testFolder(), "page.html");
    mkdirSync(join(dirname(html), "page-ledgers.html"));
    const files = [aFile(), writeTestFile("letters.json", openaiChat(1))];
    const { code, out, err } = await replayTo(html, files, { json: true });
    expect(code).toBe(1);
    expect((JSON.parse(out) as { sessions: unknown[] }).sessions).toHaveLength(2);
    expect(err).toContain("Page of ledgers.json: STORE_FAILED");
    expect(err).toMatch(/Page of letters\.json: \S+page-letters\.html/);
    rmSync(join(dirname(html), "page-ledgers.html"), { recursive: true });
  });
});
