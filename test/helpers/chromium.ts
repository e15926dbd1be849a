/**
 * The browser that pages are tested in: Chromium from `CHROMIUM_PATH`, or where Debian puts it. Tests
 * that need one say so when there is none.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

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

/** A browser with a new, empty profile. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A page that was opened from a file, and what went wrong in it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors, whatever was written to the console, and dialogs. */
  readonly problems: readonly string[];
  /** Everything that was asked for beside the file itself. */
  readonly requests: readonly string[];
}

export async function openFile(
  browser: Browser,
  path: string,
  { hash = "", ...options }: BrowserContextOptions & { readonly hash?: string } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
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
