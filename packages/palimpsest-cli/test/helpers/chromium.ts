/**
 * The browser that pages are tested in: Chromium from `CHROMIUM_PATH`, or where Debian puts it. Tests
 * that need one say so when there is none.
 */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page, type ViewportSize } from "playwright-core";

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
export const hasChromium = existsSync(executablePath);
if (!hasChromium)
  console.warn(
    `There is no ${executablePath}: pages are not tested in a browser. CHROMIUM_PATH names another.`,
  );

/** No sandbox, because containers often run as root; nothing that would look for updates or servers. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Longer than a browser takes for anything, however busy the machine is. */
const BUSY_MS = 100_000;

/** A browser with a new, empty profile. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS, timeout: BUSY_MS });
}

/** A page that was opened from a file, and what went wrong in it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors, whatever was written to the console, and dialogs. */
  readonly problems: readonly string[];
  /** Everything that was asked for beside the file itself. */
  readonly requests: readonly string[];
}

const VIEWPORT = { width: 1280, height: 900 };

export interface Opening {
  readonly hash?: string;
  readonly viewport?: ViewportSize;
  readonly colorScheme?: "light" | "dark";
  readonly hasTouch?: boolean;
}

/**
 * Opens a file in the browser's one tab, or in a new one if it needs touch. A new document has no state of the
 * one before; a new tab takes a process, which needs a second to start.
 */
export async function openFile(
  browser: Browser,
  path: string,
  { hash = "", viewport = VIEWPORT, colorScheme, hasTouch = false }: Opening = {},
): Promise<OpenedPage> {
  const page = hasTouch
    ? await browser.newPage({ viewport, hasTouch })
    : (browser.contexts()[0]?.pages()[0] ?? (await browser.newPage({ viewport })));
  page.removeAllListeners();
  page.setDefaultTimeout(BUSY_MS);
  await page.goto("about:blank");
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: colorScheme ?? null });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== `file://${path}${hash}`) requests.push(request.url());
  });
  await page.goto(`file://${path}${hash}`);
  await page.locator("body.ready").waitFor();
  return { page, problems, requests };
}
