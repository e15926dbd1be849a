/** Lives through one kind of damage: opens, sends, goes on, opens again, and says what came of it. */

import type { InMemoryFileSystem } from "palimpsest-testing";
import {
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
} from "palimpsest-testing";
import { PalimpsestError } from "#base/errors.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import type { PreparedCall } from "#session/options/prepared-call.ts";
import type { Session } from "#session/session.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import type { Kind } from "./kind.ts";
import {
  ALL_MARKS,
  appendedSession,
  diskWith,
  LOG_PATH,
  marksIn,
  optionsOn,
  REQUEST,
  SESSION,
  type Stored,
  USAGE,
} from "./sound-session.ts";

export interface Verdict {
  /** Reported events, such as `damage: bad-checksum` and `repair: orphan-result`. */
  readonly reported: readonly string[];
  /** Words that are neither in the first request nor found in the history. */
  readonly lost: readonly string[];
  /** Whatever must never be. */
  readonly wrong: readonly string[];
}

/** Complaints of the three wires, and their requests. */
export function judgeRequest({ system = "", messages }: PreparedCall): {
  complaints: string[];
  text: string;
} {
  const { model } = REQUEST;
  const bodies = {
    anthropic: { model, system, messages: toAnthropic(messages), max_tokens: 1_024 },
    chat: { model, messages: toOpenAIChat(messages, { system }) },
    responses: { model, instructions: system, input: toOpenAIResponses(messages) },
  };
  const judged = {
    anthropic: judgeAnthropicRequest(bodies.anthropic, { allowsPrefill: false }),
    chat: judgeOpenAIChatRequest(bodies.chat),
    responses: judgeOpenAIResponsesRequest(bodies.responses),
  };
  const complaints = Object.entries(judged).flatMap(([wire, found]) =>
    found.map(({ rule, path, message }) => `${wire}: ${rule} at ${path}: ${message.slice(0, 160)}`),
  );
  return { complaints, text: JSON.stringify(bodies) };
}

/** The sound session has a large result, too, but none as large as that. */
const MUCH_BYTES = 500_000;

export async function judgeKind(kind: Kind, sound: Stored): Promise<Verdict> {
  const reported = new Set<string>();
  const wrong: string[] = [];
  const observer = { onEvent: (event: SessionEvent) => void hear(event, reported, wrong) };
  const stored = await damaged(kind, sound, { reported, wrong, observer });
  const marks = kind.messages === undefined ? ALL_MARKS : marksIn(JSON.stringify(kind.messages));
  const disk = diskWith(stored);

  const session = await openSession(SESSION, optionsOn(disk, 5, observer));
  if (!logOn(disk).equals(stored.log)) wrong.push("reading changed the log");
  const seen = await sendFirst(session, kind, wrong);
  const unseen = marks.filter((mark) => !seen.includes(mark));
  const lost = await notFound(session, unseen);

  await session.record({ messages: [assistant("fresh", "markreply")], usage: USAGE });
  await session.append(user("markmore"));
  await send(session, "going on", wrong);
  await session.close();
  const grown = logOn(disk);
  if (!grown.subarray(0, stored.log.length).equals(stored.log)) wrong.push("going on changed what was there");

  const again = await openSession(SESSION, optionsOn(disk, 6));
  const seenAgain = await send(again, "opened again", wrong);
  const missing = ["markreply", "markmore", ...marks.filter((mark) => seen.includes(mark))].filter(
    (mark) => !seenAgain.includes(mark),
  );
  if (missing.length > 0) wrong.push(`opened again, ${missing} are gone`);
  await again.close();
  return { reported: [...reported].sort(), lost, wrong };
}

function hear(event: SessionEvent, reported: Set<string>, wrong: string[]): void {
  if (event.type === "damage") reported.add(`damage: ${event.damage.reason}`);
  else if (event.type === "repair") reported.add(`repair: ${event.reason}`);
  else if (event.type === "mended") reported.add(`mended: ${event.reason}`);
  else if (event.type === "usage-distrusted") reported.add("usage-distrusted");
  else if (event.type === "offloaded" && event.bytes > MUCH_BYTES) reported.add("offloaded");
  else if (event.type === "invariant-broken") wrong.push(`invariant ${event.rule}`);
}

interface Hearing {
  readonly reported: Set<string>;
  readonly wrong: string[];
  readonly observer: { readonly onEvent: (event: SessionEvent) => void };
}

async function damaged(kind: Kind, sound: Stored, { reported, wrong, observer }: Hearing): Promise<Stored> {
  if (kind.messages === undefined) return kind.damage!(sound);
  const onRefusal = (error: unknown): void => {
    if (error instanceof PalimpsestError) reported.add(`refused: ${error.code}`);
    else wrong.push(`append threw ${String(error)}`);
  };
  return appendedSession(kind.messages, onRefusal, observer);
}

const logOn = (disk: InMemoryFileSystem): Buffer => Buffer.from(disk.readFile(LOG_PATH));

/** Words that the history does not have either. Looked for last: an index of everything is made for it. */
async function notFound(session: Session, marks: readonly string[]): Promise<readonly string[]> {
  const hits = await Promise.all(marks.map((mark) => session.history.search(mark, { limit: 3 })));
  return marks.filter((mark, index) => !hits[index]!.some(({ snippet }) => snippet.includes(mark)));
}

/** The first request after opening; where nothing is left to send, the one after something was said. */
async function sendFirst(session: Session, { isEmpty }: Kind, wrong: string[]): Promise<string> {
  if (isEmpty === true) {
    const refusal: unknown = await session.prepare(REQUEST).catch((error: unknown) => error);
    const isTyped = refusal instanceof PalimpsestError && refusal.code === "NO_MESSAGES";
    if (!isTyped) wrong.push("an empty session was sent");
    await session.append(user("markfresh"));
  }
  return send(session, "first request", wrong);
}

async function send(session: Session, when: string, wrong: string[]): Promise<string> {
  const { complaints, text } = judgeRequest(await session.prepare(REQUEST));
  for (const complaint of complaints) wrong.push(`${when}: ${complaint}`);
  return text;
}
