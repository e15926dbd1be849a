/** Damage in the part of a log that opening does not read is reported: by the reader that meets it, or by the verification. */

import { InMemoryFileSystem } from "palimpsest-testing";
import { FakeTimer } from "palimpsest-testing/internal";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionEvent } from "#session/events/events.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import type { Session } from "#session/session.ts";
import {
  diskWith,
  LOG_PATH,
  optionsOn,
  REQUEST,
  SESSION,
  storedOn,
} from "#test/fault/damaged-session/sound-session.ts";
import { assistant, user } from "#test/helpers/histories.ts";

const WINDOW = { windowTokens: 16_000 };
const NO_BLOBS = new Map();

let sound: Buffer;

beforeAll(async () => {
  const disk = new InMemoryFileSystem();
  const session = await createSession({ ...optionsOn(disk, 1), window: WINDOW, sessionId: SESSION });
  for (let turn = 0; turn < 60; turn++) {
    await session.append(user(`question ${turn} word${turn}x ${"some text ".repeat(150)}`));
    await session.prepare(REQUEST);
    await session.record({ messages: [assistant(`r${turn}`, `answer${turn}x`)] });
  }
  await session.close();
  sound = storedOn(disk).log;
});

/** The log with one bit flipped in the question of turn 5, which no window shows. */
function damaged(): Buffer {
  const bytes = Buffer.from(sound);
  const at = bytes.indexOf("word5x");
  bytes[at] = bytes[at]! ^ 1;
  return bytes;
}

interface Opened {
  readonly session: Session;
  readonly reasons: readonly string[];
  readonly timer: FakeTimer;
}

async function open(log: Buffer, options: Partial<SessionOptions> = {}): Promise<Opened> {
  const reasons: string[] = [];
  const timer = new FakeTimer();
  const onEvent = (event: SessionEvent): void => {
    if (event.type === "damage") reasons.push(event.damage.reason);
  };
  const wired = optionsOn(diskWith({ log, blobs: NO_BLOBS }), 2, { onEvent });
  const session = await openSession(SESSION, { ...wired, window: WINDOW, timer, ...options });
  return { session, reasons, timer };
}

/** Ticks until the verification has ended by itself. */
async function verifyAll(timer: FakeTimer): Promise<void> {
  for (let ticks = 0; timer.runningCount > 0 && ticks < 1_000; ticks++) {
    timer.tick();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("damage before the last checkpoint", () => {
  it("costs opening nothing, and so is not known then", async () => {
    const { session, reasons } = await open(damaged());
    expect(reasons).toEqual([]);
    await session.close();
  });

  it("is reported to the observer and to the model by a search", async () => {
    const { session, reasons } = await open(damaged());
    const hits = await session.history.search("word5x");
    expect(hits.filter(({ snippet }) => snippet.includes("word5x"))).toEqual([]);
    expect(reasons).toEqual(["bad-checksum"]);
    const answer = await session.history.runTool("history_search", { query: "word5x" });
    expect(answer).toContain(
      "A part of this session's stored history is damaged and cannot be read: what was said there is not found.",
    );
    expect(reasons).toEqual(["bad-checksum"]);
    await session.close();
  });

  it("is reported to the observer and to the model by reading a pointer that leads there", async () => {
    const { session, reasons } = await open(damaged());
    const hits = await session.history.search("word6x");
    const seq = Number(/^m(\d+)/.exec(hits[0]!.pointer)![1]);
    await session.close();
    const again = await open(damaged());
    // Three entries a turn: the question, the call, the answer with its messages.
    const answers = [];
    for (let before = seq - 1; before >= seq - 5; before--)
      answers.push(await again.session.history.runTool("history_read", { pointer: `m${before}.0` }));
    expect(answers.filter((answer) => answer?.includes("is damaged and cannot be read"))).not.toEqual([]);
    expect(again.reasons).toEqual(["bad-checksum"]);
    expect(reasons).toEqual(["bad-checksum"]);
    await again.session.close();
  });

  it("is reported once by the verification in the background, which then ends", async () => {
    const { session, reasons, timer } = await open(damaged());
    expect(timer.runningCount).toBe(1);
    await verifyAll(timer);
    expect(timer.runningCount).toBe(0);
    expect(reasons).toEqual(["bad-checksum"]);
    await session.history.search("word5x");
    expect(reasons).toEqual(["bad-checksum"]);
    await session.close();
  });

  it("is not looked for where the verification is switched off", async () => {
    const { session, timer } = await open(damaged(), { verifyStored: false });
    expect(timer.runningCount).toBe(0);
    await session.close();
  });
});

describe("the verification of a stored log", () => {
  it("reports nothing of a sound log, and changes no byte of it", async () => {
    const disk = diskWith({ log: sound, blobs: NO_BLOBS });
    const reasons: string[] = [];
    const timer = new FakeTimer();
    const onEvent = ({ type }: SessionEvent): void => void reasons.push(type);
    const session = await openSession(SESSION, { ...optionsOn(disk, 2, { onEvent }), timer });
    await verifyAll(timer);
    expect(reasons).toEqual([]);
    expect(Buffer.from(disk.readFile(LOG_PATH)).equals(sound)).toBe(true);
    await session.close();
  });

  it("ends when the session is closed", async () => {
    const { session, timer } = await open(sound);
    timer.tick();
    await session.close();
    expect(timer.runningCount).toBe(0);
  });

  it("is not begun for a log that was read whole", async () => {
    const firstLines = `${sound.toString("utf8").split("\n").slice(0, 5).join("\n")}\n`;
    const { session, timer } = await open(Buffer.from(firstLines));
    expect(timer.runningCount).toBe(0);
    await session.close();
  });
});
