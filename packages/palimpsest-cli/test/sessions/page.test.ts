/** The exported page as people see it: opened from the disk in Chromium. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium, openFile } from "#test/helpers/chromium.ts";
import { HOSTILE, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

const MARKUP =
  "</pre></details></article><script>alert(1)</script><img src=x onerror=\"alert('ran')\"><style>*{display:none}</style>";

describe.skipIf(!hasChromium)("an exported page in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it.each([
    "light",
    "dark",
  ] as const)("opens without a complaint, a request or a script (%s)", async (colorScheme) => {
    const place = storedHome();
    const id = await storeSession(place, {
      title: `${MARKUP}${HOSTILE}`,
      text: MARKUP,
      resultLines: 40,
      rounds: 3,
    });
    await place.run(["sessions", "export", id, "-o", "session.html"]);
    const { page, problems, requests } = await openFile(browser, join(place.folder, "session.html"), {
      colorScheme,
    });
    expect({ problems, requests }).toEqual({ problems: [], requests: [] });
    expect(await page.locator("h1").innerText()).toContain("<script>alert(1)</script>");
    expect(await page.locator("h1").innerText()).toContain("\\u{202E}gnp.exe");
    expect(await page.locator("article").count()).toBe(9);
    expect(await page.locator("script, img").count()).toBe(0);
    // Prompts are shown, long results are folded until someone opens them.
    expect(await page.locator("article.user pre").first().innerText()).toContain(MARKUP);
    const result = page.locator("details.result").first();
    expect(await result.locator("pre").isVisible()).toBe(false);
    await result.locator("summary").click();
    expect(await result.locator("pre").innerText()).toContain("entry of ledger 1 [redacted: anthropic]");
    await page.locator("nav summary").click();
    await page.locator("nav a").nth(2).click();
    expect(new URL(page.url()).hash).toMatch(/^#m\d+$/);
  });
});
