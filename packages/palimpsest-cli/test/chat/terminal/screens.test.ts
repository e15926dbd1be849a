/**
 * Screens of the chat, captured from a real terminal and compared with docs/reference/chat-screens.md. To write that page
 * again: `PALIMPSEST_WRITE=1 npx vitest run --config vitest.long.config.ts` with the path of this file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { callTool, type Script } from "palimpsest-testing";
import { afterEach, describe, expect, it } from "vitest";
import { columnsOf, cutToColumns } from "#terminal/columns.ts";
import { type ChatPlace, chatPlace, modelOptions } from "../chat-double.ts";
import { TmuxChat } from "./tmux-chat.ts";

const PAGE = fileURLToPath(new URL("../../../../../docs/reference/chat-screens.md", import.meta.url));
const SUMMARY = `<summary>${Array.from({ length: 9 }, (_, index) => `${index + 1}. What was said.`).join("\n")}</summary>`;
const ANSWER =
  "## Trains\n\nThe train to **Oslo** leaves at `9:04`. 列車は九時四分に出ます。🚆 הרכבת יוצאת בתשע.\n\n- track 3\n- no change\n";
const LONG = `${"A fact that takes its room in the window. ".repeat(60)}\n`;

/** Asks, and waits for an answer. */
const ASKING = 'printf "Publish palimpsest 0.1.0? [y/N] "; read answer; echo "published: $answer"';

const script: Script = ({ body }) => {
  const { messages } = body as { readonly messages: readonly { readonly role: string }[] };
  const last = JSON.stringify(messages.at(-1));
  // A new session says the date after the first message.
  const lastUserText = JSON.stringify(
    messages.slice(messages.findLastIndex(({ role }) => role !== "user") + 1),
  );
  if (last.includes("<summary>")) return last.includes("Slowly") ? { fault: "hang" } : SUMMARY;
  if (last.includes('"role":"tool"'))
    return last.includes("Started t1") ? "It runs in the background." : "The tests pass.";
  if (lastUserText.includes("Run the tests")) return callTool("shell", { command: "echo 12 tests passed" });
  if (lastUserText.includes("Publish"))
    return callTool("shell", { command: ASKING, background: true, stdin: "open" });
  if (lastUserText.includes("delay"))
    return callTool("write", { path: "delay.txt", content: "5 min\nplatform 2" });
  if (lastUserText.includes("Wait")) return { fault: "hang", afterEvents: 5 };
  const fact = lastUserText.match(/fact \d+/g)?.at(-1);
  return fact === undefined ? ANSWER : `${LONG}\nEnd of ${fact}.\n`;
};

const open: { chat: TmuxChat; place: ChatPlace }[] = [];
afterEach(async () => {
  for (const { chat, place } of open.splice(0)) {
    chat.close();
    await place.provider.close();
  }
});

/**
 * Presses the keys, and again after ten seconds, until this is on the screen. Ctrl-C and its hint are about the next second
 * and a half: on a busy machine both may be missed.
 */
async function pressedUntil(chat: TmuxChat, keys: readonly string[], what: RegExp): Promise<string> {
  for (;;) {
    chat.type("", ...keys);
    const end = performance.now() + 10_000;
    const isOver = (screen: string): boolean => what.test(screen) || performance.now() > end;
    const screen = await chat.until(/./, isOver);
    if (what.test(screen)) return screen;
  }
}

async function start(
  columns: number,
  {
    env = {},
    more = [],
  }: { readonly env?: Readonly<Record<string, string>>; readonly more?: readonly string[] } = {},
) {
  const place = await chatPlace(script);
  const args = [...modelOptions("compatible", place), ...more];
  const chat = new TmuxChat(place, { columns, args, env });
  open.push({ chat, place });
  await chat.until(/left/);
  return { chat, place, args };
}

/** Names, times and spinners of one run, as those of another. */
function steady(
  screen: string,
  { place: { folder }, columns }: { readonly place: ChatPlace; readonly columns: number },
): string {
  return screen
    .replaceAll(folder, "/srv/trains")
    .replaceAll(new RegExp(`${folder.slice(0, 30)}\\S*`, "g"), "/srv/trains")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{20,27}…?/g, "3f2a91c0-5d1e-4c7b-9a52-0c6de1f7b3a8")
    .replace(/[◐◓◑◒]/g, "◐")
    .replace(/· \d+ s ·/g, "· 1 s ·")
    .replace(/for 4[5-9](\.\d)? s/g, "for 45 s")
    .replace(/\/resume(\s+)[0-9a-f]{8}(?![0-9a-f-])/g, "/resume$13f2a91c0")
    .replace(/in \d[\d.]*(\s+)m?s/g, "in 2.1$1s")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "2026-11-23 09:04")
    .split("\n")
    .map((line) => cutToColumns(line.trimEnd(), columns))
    .join("\n");
}

/** Sizes depend on the tools, the prompt and the path of the folder; the page has those of one run. */
function withoutFigures(page: string): string {
  return page
    .replace(/[█▓·░]{12,}/g, "(bar)")
    .replace(/\d+(?:\.\d+)?[KM]?/g, "0")
    .replace(/ +/g, " ");
}

/** All scenes in a terminal of this width. */
async function scenes(columns: number): Promise<readonly (readonly [title: string, screen: string])[]> {
  const { chat, place } = await start(columns);
  const seen: [string, string][] = [];
  const keep = (title: string, beginning?: string): void => {
    const screen = tailOf(chat.screen(), beginning);
    for (const line of screen.split("\n")) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    seen.push([title, steady(screen, { place, columns })]);
  };
  keep("Start");
  chat.type("When does the train leave?", "Enter");
  await chat.idle(/no change/);
  keep("An answer");
  chat.type("Run the tests", "Enter");
  await chat.until(/May I do this/);
  keep("A question");
  chat.type("", "Enter");
  await chat.idle(/The tests pass/);
  chat.type("Note the delay", "Enter");
  await chat.until(/May I do this/);
  keep("A question about a change");
  chat.type("", "Enter");
  await chat.idle(/\+ platform 2\s+The tests pass/);
  chat.type("Wait a bit", "Enter");
  await chat.until(/Answering/);
  keep("An answer that streams");
  chat.type("", "Escape");
  await chat.idle(/Stopped/);
  for (let turn = 1; turn <= 6; turn++) {
    chat.type(`This is fact ${turn}`, "Enter");
    await chat.idle(new RegExp(`End of fact ${turn}`));
  }
  chat.type("/compact Slowly.", "Enter");
  await chat.until(/Summarising · [1-9]\d* s/);
  keep("A compaction as it happens", "> /compact Slowly.");
  chat.type("", "Escape");
  await chat.idle(/nothing\s+was\s+changed/);
  chat.type("/compact", "Enter");
  await chat.idle(/takes\s+it\s+back/);
  // How much of what came before is left on the screen depends on when the lines below it were drawn.
  keep("A compaction", "> /compact");
  chat.type("/undo", "Enter");
  await chat.idle(/Taken back/);
  chat.type("/context", "Enter");
  await chat.idle(/reserve for/);
  keep("`/undo` and `/context`");
  chat.type("/clear", "Enter");
  await chat.idle(/A new session/);
  chat.type("/resume", "Enter");
  await chat.until(/Resume a session/);
  keep("`/resume`");
  chat.type("", "Enter");
  await chat.idle(/End of fact 6/);
  expect(place.provider.violations).toEqual([]);
  return seen;
}

/** A window that fills up by itself. */
async function automaticCompaction(columns: number): Promise<string> {
  const { chat, place } = await start(columns, { more: ["--window", "16k"] });
  for (let turn = 1; !/No longer in\s+view/.test(chat.screen("all")); turn++) {
    chat.type(`This is fact ${turn}`, "Enter");
    await chat.idle(new RegExp(`End of fact ${turn}\\.`));
    if (turn > 60) throw new Error("The window does not fill up.");
  }
  const lines = chat.screen("all").split("\n");
  const at = lines.findLastIndex((line) => line.includes("Compacted with"));
  // Small windows ask no model, so that nothing announces the summary.
  const announced = lines.findLastIndex((line, index) => index < at && line.startsWith("· Compacting"));
  expect(place.provider.violations).toEqual([]);
  return steady(lines.slice(announced < 0 ? at : announced, at + 14).join("\n"), { place, columns }).trim();
}

/** A task that has asked something and waits: it counts as stalled once it was silent for 45 s. */
async function stalledTask(columns: number): Promise<string> {
  const { chat, place } = await start(columns, { more: ["--permission-mode", "allow-all"] });
  chat.type("Publish it", "Enter");
  await chat.idle(/It runs in the\s+background/);
  await chat.until(/waits\s+for\s+input/);
  chat.type("/tasks", "Enter");
  await chat.idle(/stop\s+ID/);
  const screen = steady(chat.screen(), { place, columns });
  chat.type("/tasks send t1 y", "Enter");
  await chat.until(/Task\s+done/);
  expect(place.provider.violations).toEqual([]);
  return screen;
}

describe("the chat in a terminal", () => {
  it.each([true, false])("has colours only that every theme of a terminal has: %s", async (isColored) => {
    const { chat } = await start(80, { env: { NO_COLOR: isColored ? "" : "1", CI: "" } });
    chat.type("When does the train leave?", "Enter");
    await chat.idle(/no change/);
    chat.type("/context", "Enter");
    await chat.idle(/reserve for/);
    const codes = [...chat.coloured().matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, list = ""]) =>
      list.split(";"),
    );
    // Weights, the inverse cursor, and the ways back to what the terminal has by itself.
    const colours = codes.filter((code) => !/^(?:|0|[1-4]|7|2[2-47]|39|49)$/.test(code));
    expect(colours.length > 0).toBe(isColored);
    expect(colours.filter((code) => !/^3[1-6]$/.test(code))).toEqual([]);
  });

  it.each([80, 40])("looks as the reference shows it, at %i columns", async (columns) => {
    // The task takes its 45 s meanwhile.
    const [stalled, [seen, compaction]] = await Promise.all([
      stalledTask(columns),
      scenes(columns).then(async (screens) => [screens, await automaticCompaction(columns)] as const),
    ]);
    expect(seen.length).toBe(9);
    const page = pageOf(columns, [
      ...seen,
      ["A compaction by itself", compaction],
      ["A task that waits, and `/tasks`", stalled],
    ]);
    const path = PAGE.replace(/\.md$/, `-${columns}.md`);
    if (process.env["PALIMPSEST_WRITE"] === "1") writeFileSync(path, page);
    expect(withoutFigures(page)).toBe(withoutFigures(readFileSync(path, "utf8")));
  });

  it("survives any size, 100 MB that are pasted, and Ctrl-C, and leaves a session that goes on", async () => {
    const { chat, place } = await start(80);
    chat.type("Wait a bit", "Enter");
    await chat.until(/Answering/);
    for (const [columns, rows] of [
      [40, 12],
      [20, 5],
      [200, 50],
      [80, 24],
    ] as const)
      chat.run("resize-window", "-x", `${columns}`, "-y", `${rows}`);
    await chat.until(/Answering/);
    chat.type("And the next?", "Enter");
    await chat.until(/then: And the next/);
    const asked = place.provider.requests.length;
    chat.type("", "C-c");
    // What waited is in the input again, and was not sent.
    expect(await chat.idle(/Stopped/)).toMatch(/^And the next\?$/m);
    expect(place.provider.requests.length).toBe(asked);
    // The hint is there as long as it is true, and the input is empty then.
    await chat.until(/% left/);
    expect(await pressedUntil(chat, ["C-c"], /Ctrl-C again/)).not.toMatch(/^And the next/m);
    await chat.until(/% left/);
    // There is no shell here that could continue it: it goes on by itself.
    chat.type("", "C-z");
    chat.type("Still here?");
    await chat.until(/^Still here\?$/m);
    chat.type("", "C-u");
    chat.paste(`${"x".repeat(99)}\n`.repeat(1_000_000));
    await chat.until(/The pasted text has/);
    const screen = await pressedUntil(chat, ["C-c", "C-c"], /exit code 0/);
    expect(screen).toMatch(/To go on: palimpsest chat --resume/);
    expect(place.provider.violations).toEqual([]);
  });
});

/** The screen from the last line on that begins like this. */
function tailOf(screen: string, beginning = ""): string {
  const lines = screen.split("\n");
  const at = beginning === "" ? 0 : lines.findLastIndex((line) => line.startsWith(beginning));
  return lines.slice(Math.max(0, at)).join("\n");
}

function pageOf(columns: number, seen: readonly (readonly [string, string])[]): string {
  const parts = seen.map(([title, screen]) => `## ${title}\n\n\`\`\`text\n${screen}\n\`\`\`\n`);
  return `# Screens of the chat, ${columns} columns\n\nCaptured from a real terminal by a test (\`test/chat/terminal/screens.test.ts\` of the command).\n\n${parts.join("\n")}`;
}
