/**
 * Pages of recorded sessions: a short one, and with PALIMPSEST_LONG=1 the largest there is, which must
 * stay small enough to be opened at once.
 */
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runReplay } from "#replay/replay-command.ts";
import { hasChromium, launchChromium, openFile } from "#test/helpers/chromium.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { testFolder } from "../../../../test/helpers/recordings.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";

const SESSIONS = [
  { id: "cc-entire-short", folder: "claude-code", windowTokens: 8_000, mostBytes: 300_000, isUsual: true },
  { id: "codex-agentv-773k", folder: "codex", windowTokens: 200_000, mostBytes: 6_000_000, isUsual: false },
].filter(({ isUsual }) => isLong || isUsual);

describe.skipIf(!hasCorpus)("pages of recorded sessions", () => {
  it.each(SESSIONS)("$id: small enough, and opened without a complaint", async ({
    id,
    folder,
    windowTokens,
    mostBytes,
  }) => {
    const file = corpusFiles(folder).find(({ path }) => basename(path).startsWith(`${id}.`));
    const html = join(testFolder(), "page.html");
    const options = { fixedTokens: 0, windowSizes: [windowTokens], json: true, quiet: true, html };
    expect(await runReplay([file!.path], options, cliDouble())).toBe(0);
    expect(statSync(html).size).toBeLessThan(mostBytes);
    expect(readFileSync(html, "utf8")).toContain('id="data"');
    if (!hasChromium) return;
    const browser = await launchChromium();
    try {
      const { page, problems, requests } = await openFile(browser, html);
      await page.keyboard.press("ArrowLeft");
      expect(await page.locator("#rows > .row").count()).toBeGreaterThan(0);
      expect({ problems, requests }).toEqual({ problems: [], requests: [] });
    } finally {
      await browser.close();
    }
  });
});
