/**
 * One session after the other, as an agent of a busy server has them: it thinks, calls tools, searches, goes back,
 * compacts, is closed and opened again, and ends. All that was acknowledged is looked for in its log at the end.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { nodeSessions, Session } from "palimpsest";

const MODEL = "claude-opus-4-5";
const WORDS =
  "harbour tide quay mooring lantern rope anchor ledger captain signal weather buoy compass".split(" ");
/** A window that a session fills some times in its life. */
const WINDOW = { windowTokens: 24_000 };

/** Counts over the lives of all sessions. */
export interface SoakCounts {
  calls: number;
  sessions: number;
  searches: number;
  rewinds: number;
  /** Sessions that compacted their window. */
  compacted: number;
  reopened: number;
  acknowledged: number;
  lost: number;
}

export interface SoakOptions {
  readonly sessions: ReturnType<typeof nodeSessions>;
  readonly folder: string;
  /** Numbers from 0 to 1, the same for the same seed. */
  readonly random: () => number;
  /** Mean time that the model takes, in milliseconds. */
  readonly thinkMs: number;
  readonly callsOfSession: number;
  readonly isOver: () => boolean;
  readonly counts: SoakCounts;
}

/** Lives until the time is over; every session that was begun is ended and judged. */
export async function liveOn(name: string, options: SoakOptions): Promise<void> {
  for (let number = 1; !options.isOver(); number++) await liveOnce(`${name}-${number}`, options);
}

async function liveOnce(name: string, options: SoakOptions): Promise<void> {
  const { sessions, random, thinkMs, counts } = options;
  let session = await sessions.create({ window: WINDOW });
  const { id } = session;
  const acknowledged: string[] = [];
  const tag = (call: number, what: string): string => {
    const text = `[${name}.${call}.${what}]`;
    acknowledged.push(text);
    return text;
  };
  let goBackTo = 0;
  for (let call = 1; call <= options.callsOfSession && !options.isOver(); call++) {
    const [seq = 0] = await session.append({
      role: "user",
      content: `${tag(call, "asked")} ${words(random, 40)}`,
    });
    await session.prepare({ model: MODEL, system: "You keep the harbour's books." });
    await sleep(thinkMs * 2 * random());
    await session.record({
      messages: [
        {
          role: "assistant",
          content: [
            { type: "text", text: `${tag(call, "answered")} ${words(random, 60)}` },
            { type: "tool_use", id: `call-${call}`, name: "read_file", input: { path: `quay-${call}.ts` } },
          ],
        },
      ],
    });
    await session.append({
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `call-${call}`,
          content: `${tag(call, "read")} ${words(random, 200 + Math.floor(random() * 600))}`,
        },
      ],
    });
    counts.calls++;
    if (call % 10 === 0) goBackTo = seq;
    session = await sometimes({ session, goBackTo, call }, options);
  }
  if (session.context().lastCompaction !== undefined) counts.compacted++;
  await session.close();
  const log = readFileSync(join(options.folder, `${id}.jsonl`), "utf8");
  counts.sessions++;
  counts.acknowledged += acknowledged.length;
  counts.lost += acknowledged.filter((text) => !log.includes(text)).length;
}

/** The rarer things; returns the session to go on with. */
async function sometimes(
  {
    session,
    goBackTo,
    call,
  }: { readonly session: Session; readonly goBackTo: number; readonly call: number },
  { random, counts, sessions }: SoakOptions,
): Promise<Session> {
  const chance = random();
  if (chance < 0.05) {
    await session.history.search(`lantern ${call}`);
    counts.searches++;
  } else if (chance < 0.07 && goBackTo > 0) {
    await session.rewind(goBackTo);
    counts.rewinds++;
  } else if (chance < 0.12) {
    await session.close();
    counts.reopened++;
    return sessions.open(session.id, { window: WINDOW });
  }
  return session;
}

function words(random: () => number, count: number): string {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
}
