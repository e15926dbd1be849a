/** The page as people see it: opened from the disk in Chromium. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PageData } from "#replay/page/page-data.ts";
import { writePage } from "#replay/page/write-page.ts";
import { hasChromium, launchChromium, openFile } from "#test/helpers/chromium.ts";
import { openaiChat, testFolder } from "../../../../../test/helpers/recordings.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { type ReplayedPage, replayedPage, shownText } from "./replayed-page.ts";

/** Everything in a session can be hostile: texts, tool names, arguments, the title. */
const HOSTILE = "</script><img src=x onerror=\"alert('ran')\"><svg onload=alert(1)>{{scripts}}<!--";

const written = (data: PageData): string => {
  const path = join(testFolder(), "page.html");
  writePage(path, data);
  return path;
};

/** Runs in the page. As a text, because tests know nothing of a browser's types. */
const OPEN_ROWS = `(async () => {
  const texts = [];
  for (const row of document.querySelectorAll("#rows > .row[data-piece]")) {
    if (row.dataset.change === "gone") continue;
    if (!row.open) {
      row.open = true;
      await new Promise((resolve) => row.addEventListener("toggle", resolve, { once: true }));
    }
    texts.push(row.querySelector(":scope > .body > pre")?.textContent ?? "");
  }
  return texts;
})()`;

const COLORS = `["#window-chart canvas", "#edit-lanes"].map((name) => {
  const canvas = document.querySelector(name);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255) found.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
  return [...found];
})`;

const LAYOUT_SHIFTS = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

/** The blocks that the panel shows of a call, opened one by one, in their order. */
const shownBlocks = (page: Page): Promise<readonly string[]> => page.evaluate<readonly string[]>(OPEN_ROWS);

const selectedCall = (page: Page): Promise<string> => page.locator("#call-number").inputValue();

describe.skipIf(!hasChromium)("a page in a browser", () => {
  let browser: Browser;
  let replayed: ReplayedPage;
  let path: string;

  beforeAll(async () => {
    browser = await launchChromium();
    replayed = await replayedPage(openaiChat(30, { resultLines: 80 }), { windowTokens: 8_000 });
    path = written(replayed.data);
  });
  afterAll(() => browser?.close());

  it.each([
    "light",
    "dark",
  ] as const)("opens without a complaint and without a request (%s)", async (colorScheme) => {
    const { page, problems, requests } = await openFile(browser, path, { colorScheme });
    expect(await page.title()).toBe("A session · palimpsest replay");
    expect(await page.locator("#figures").innerText()).toContain("lossless");
    expect(await page.locator("#last-compaction").innerText()).toMatch(
      /^Last compacted at [\d.]+K of 8K because /,
    );
    for (const name of ["#window-chart canvas", "#edit-lanes"]) {
      const box = await page.locator(name).boundingBox();
      expect(box?.width, name).toBeGreaterThan(400);
      expect(box?.height, name).toBeGreaterThan(name === "#edit-lanes" ? 19 : 200);
    }
    expect({ problems, requests }).toEqual({ problems: [], requests: [] });
  });

  it("paints the picture, the limits and a shape for each edit", async () => {
    const { page } = await openFile(browser, path);
    const colors = await page.evaluate<readonly (readonly number[])[]>(COLORS);
    // Tool results and summaries; the limit; the ink of the shapes.
    expect(colors[0]).toEqual(expect.arrayContaining([0xaedec7, 0x62265f, 0xb3261e]));
    expect(colors[1]).toContain(0x171b20);
  });

  it("shows at every call what the session's window held, block by block", async () => {
    const { data, blocksAt } = replayed;
    const last = data.calls.length;
    const edited = data.edits.find(({ loss }) => loss !== undefined)!.call + 1;
    const { page } = await openFile(browser, path, { hash: "#call=2" });
    for (const call of [2, 1, edited - 1, edited, edited + 3, last]) {
      await page.goto(`file://${path}#call=${call}`);
      await page.waitForFunction(`document.querySelector("#call-number").value === "${call}"`);
      const { seq, tokens } = data.calls[call - 1]!;
      expect(await shownBlocks(page)).toEqual((await blocksAt(seq)).map(shownText));
      expect(await page.locator("#call-facts").innerText()).toContain(tokens.toLocaleString("en-US"));
    }
  });

  it("strikes out what left the window at a call, and tells the edit that took it", async () => {
    const edit = replayed.data.edits.find(({ isCompaction }) => isCompaction === true)!;
    const { page } = await openFile(browser, path, { hash: `#call=${edit.call + 1}` });
    expect(await page.locator('#rows [data-change="gone"]').count()).toBeGreaterThan(1);
    expect(await page.locator("#call-edits").innerText()).toContain(`${edit.layer}, ${edit.reason}`);
    expect(await page.locator("#call-edits").innerText()).toContain(`${edit.loss?.messages} messages`);
    await page.locator("#only-changes").check();
    expect(await page.locator('#rows [data-change="same"]:visible').count()).toBe(0);
  });

  it.each([
    { keys: ["End"], call: "60", why: "to the last call" },
    { keys: ["Home"], call: "1", why: "to the first" },
    { keys: ["Home", "ArrowRight", "ArrowRight", "ArrowLeft"], call: "2", why: "call by call" },
    { keys: ["Home", "Shift+ArrowRight"], call: "11", why: "ten at once" },
    { keys: ["Home", "ArrowLeft"], call: "1", why: "not beyond the first" },
  ])("is led by the keyboard: $why", async ({ keys, call }) => {
    const { page, problems } = await openFile(browser, path);
    await page.locator("#window-chart").focus();
    for (const key of keys) await page.keyboard.press(key);
    expect(await selectedCall(page)).toBe(call);
    const cursor = page.locator("#window-chart");
    expect(await cursor.getAttribute("aria-valuenow")).toBe(call);
    const tokens = replayed.data.calls[Number(call) - 1]!.tokens.toLocaleString("en-US");
    expect(await page.locator("#call-facts").innerText()).toContain(tokens);
    expect(problems).toEqual([]);
  });

  it("goes from edit to edit, by key and by button", async () => {
    const { page } = await openFile(browser, path);
    const edited = [...new Set(replayed.data.edits.map(({ call }) => String(call + 1)))];
    await page.locator("#window-chart").press("Home");
    await page.keyboard.press("]");
    expect(await selectedCall(page)).toBe(edited.find((call) => call !== "1"));
    await page.locator("#to-next-edit").click();
    expect(edited).toContain(await selectedCall(page));
    await page.keyboard.press("[");
    expect(await selectedCall(page)).toBe(edited.find((call) => call !== "1"));
  });

  it("is led by the mouse: pressing picks a call, pointing tells its size and its edits", async () => {
    const { page } = await openFile(browser, path);
    const { x, y, width, height } = (await page.locator("#window-chart .u-over").boundingBox())!;
    const at = (call: number): readonly [number, number] => [x + ((call - 0.5) * width) / 60, y + height / 2];
    await page.mouse.click(...at(17));
    expect(await selectedCall(page)).toBe("17");
    const edit = replayed.data.edits.find(({ loss }) => loss !== undefined)!;
    await page.mouse.move(...at(edit.call + 1));
    const text = await page.locator("#tooltip").innerText();
    expect(text).toContain(`call ${edit.call + 1}`);
    expect(text).toContain(`${edit.layer}, ${edit.reason}`);
    expect(text).toMatch(/Out of sight: \d+ messages/);
    expect(await selectedCall(page)).toBe("17");
  });

  it("is led by a finger", async () => {
    const { page } = await openFile(browser, path, { hasTouch: true, viewport: { width: 390, height: 844 } });
    const { x, y, width, height } = (await page.locator("#window-chart .u-over").boundingBox())!;
    await page.touchscreen.tap(x + width * 0.26, y + height / 2);
    expect(await selectedCall(page)).toBe("16");
  });

  it.each(
    usualFew([{ width: 320 }, { width: 390 }, { width: 820 }], 3),
  )("fits a screen of $width pixels", async ({ width }) => {
    const title = `${"a-very-long-name".repeat(20)} and ${"words ".repeat(100)}`;
    const { page } = await openFile(browser, written({ ...replayed.data, title }), {
      viewport: { width, height: 800 },
    });
    await page.locator("#rows .row summary").first().click();
    await page.locator(".edit-list summary").click();
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(wide).toBeLessThanOrEqual(width);
  });

  it("moves nothing once it is shown", async () => {
    const { page } = await openFile(browser, path);
    const shifts = await page.evaluate<number>(LAYOUT_SHIFTS);
    expect(shifts).toBe(0);
  });

  it("runs nothing of what a session says, and shows it to the letter", async () => {
    const id = 'x"><script>alert(2)</script>';
    const messages = [
      { role: "system", content: HOSTILE },
      { role: "user", content: HOSTILE },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id,
            type: "function",
            function: { name: HOSTILE, arguments: JSON.stringify({ [HOSTILE]: HOSTILE }) },
          },
        ],
      },
      { role: "tool", tool_call_id: id, content: HOSTILE },
      { role: "assistant", content: HOSTILE },
      { role: "user", content: "And now?" },
    ];
    const { data } = await replayedPage(JSON.stringify({ messages }), { title: HOSTILE });
    const loss = {
      messages: 1,
      blocks: 1,
      userMessages: 1,
      files: [HOSTILE],
      commands: [HOSTILE],
      strings: [HOSTILE],
      more: 0,
      recovery: HOSTILE,
    };
    const edits = [
      { call: data.calls.length - 1, layer: "full", reason: HOSTILE, freedTokens: 1, seq: 1, loss },
    ] as const;
    const notes = { text: HOSTILE, tokens: 12 };
    const { page, problems, requests } = await openFile(browser, written({ ...data, edits, notes }));
    expect(await page.locator("#notes").textContent()).toBe(HOSTILE);
    const texts = await shownBlocks(page);
    expect(texts.slice(0, 2)).toEqual([HOSTILE, JSON.stringify({ [HOSTILE]: HOSTILE })]);
    expect(await page.locator("#title").innerText()).toBe(HOSTILE);
    expect(await page.locator("#call-edits").innerText()).toContain(HOSTILE);
    await page.locator(".edit-list summary").click();
    expect(await page.locator("main img, main script, [onload]").count()).toBe(0);
    expect({ problems, requests }).toEqual({ problems: [], requests: [] });
  });

  it("draws the costs where they are known, and says where they are not", async () => {
    const none = await openFile(browser, path);
    expect(await none.page.locator("#no-cost").isVisible()).toBe(true);
    const calls = replayed.data.calls.map((call, index) => ({
      ...call,
      cost: call.tokens / 5,
      uncompactedCost: call.tokens * (1 + index / 10),
      missedTokens: index === 7 ? 900 : 0,
    }));
    const { page, problems } = await openFile(browser, written({ ...replayed.data, calls }));
    expect(await page.locator("#cost-chart canvas").boundingBox()).toMatchObject({ height: 230 });
    expect(await page.locator("#misses").innerText()).toBe("the cache was missed: 1 call");
    expect(problems).toEqual([]);
  });

  it("says so where no call was made", async () => {
    const empty = { ...replayed.data, calls: [], edits: [], pieces: [], sources: [] };
    const { page, problems } = await openFile(browser, written(empty));
    expect(await page.locator("main").innerText()).toContain("Nothing in this session would have been sent");
    expect(await page.locator("#window-chart").isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });
});
