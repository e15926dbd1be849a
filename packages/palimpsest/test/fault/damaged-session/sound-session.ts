/**
 * The sound session that is damaged: everything a log can hold, written by the engine itself.
 *
 * Every text has a unique word (`mark…`), so that a search for the words finds lost texts.
 */

import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { SessionObserver } from "#session/events/events.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, call, result, system, user } from "#test/helpers/histories.ts";
import { PIXEL } from "#test/importers/shared/pixel.ts";
import type { ContentBlock, Message } from "#transcript/blocks.ts";

const ROOT = "/sessions";
export const SESSION = "damaged";
export const LOG_PATH = `${ROOT}/${SESSION}.jsonl`;
const END_PATH = `${ROOT}/.log-ends/${SESSION}`;
export const BLOBS_PATH = `${ROOT}/${SESSION}/blobs`;
export const REQUEST = { model: "claude-opus-4-5", system: "You mend what is broken." };
export const USAGE = { inputTokens: 900, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 9 };

/** The files on the disk. A blob that is `"folder"` has a folder in the place of its file. */
export interface Stored {
  readonly log: Buffer;
  readonly blobs: ReadonlyMap<string, Buffer | "folder">;
  /** The recorded end of the log; absent if it was never synced. */
  readonly end?: Buffer;
}

export function optionsOn(
  disk: InMemoryFileSystem,
  seed: number,
  observer?: SessionObserver,
): SessionOptions {
  const ids = seededIds(seed);
  const store = new FileSessionStore({ root: ROOT, fs: disk, hasher: nodeHasher, ids });
  const options = {
    store,
    clock: new FakeClock(),
    ids,
    hasher: nodeHasher,
    window: { windowTokens: 32_000 },
  };
  return observer === undefined ? options : { ...options, observer };
}

export function diskWith({ log, blobs, end }: Stored): InMemoryFileSystem {
  const disk = new InMemoryFileSystem();
  disk.writeFile(LOG_PATH, log);
  if (end !== undefined) disk.writeFile(END_PATH, end);
  for (const [hash, bytes] of blobs) {
    const path = `${BLOBS_PATH}/${hash}`;
    if (bytes === "folder") disk.makeDirectory(path);
    else disk.writeFile(path, bytes);
  }
  return disk;
}

export function storedOn(disk: InMemoryFileSystem): Stored {
  const names = disk.stat(BLOBS_PATH) === undefined ? [] : disk.list(BLOBS_PATH);
  const blobs = new Map(names.map((name) => [name, Buffer.from(disk.readFile(`${BLOBS_PATH}/${name}`))]));
  const log = Buffer.from(disk.readFile(LOG_PATH));
  if (disk.stat(END_PATH) === undefined) return { log, blobs };
  return { log, blobs, end: Buffer.from(disk.readFile(END_PATH)) };
}

const image = (data: string): ContentBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});
export const thinking = (words: string): ContentBlock => ({
  type: "thinking",
  thinking: words,
  signature: "c2ln",
});
const LARGE_RESULT = `markdump\n${"a line of a large result\n".repeat(2_500)}`;
const LARGE_PIXEL = PIXEL.slice(0, 80).repeat(60);

/** The turns before the checkpoint, where there is one, and those behind it. */
export const EARLIER: readonly Message[] = [
  user("markquestion: where is the bug?"),
  assistant("r1", thinking("markthought"), "markplan", call("c1", "Read", { file_path: "markpath" })),
  user(result("c1", "markfile")),
  assistant("r2", "markboth", call("c2", "Grep", { pattern: "markpattern" }), call("c3", "Bash")),
  user(result("c2", "markgrep"), result("c3", "marktests")),
  system("markreminder"),
  assistant("r3", "markfound"),
  user("markpicture", image(LARGE_PIXEL)),
  assistant("r4", "marklooked", call("c4", "Bash", { command: "marklarge" })),
  user(result("c4", LARGE_RESULT)),
  assistant("r5", "markread", call("c5", "Bash", { command: "markcut" })),
  user("marklater"),
  assistant("r6", "markend"),
];
export const LATER: readonly Message[] = [
  user("markagain"),
  assistant("r7", thinking("markdoubt"), "marktail", call("c6", "Read", { file_path: "markother" })),
  user(result("c6", "markanswer")),
  assistant("r8", "markdone"),
  user("marklast"),
];
/** All of them, and nothing in it that would have to be mended. */
export const CONVERSATION: readonly Message[] = [...EARLIER, ...LATER].flatMap((message) =>
  message.responseId === "r5" ? [message, user(result("c5", "markstopped"))] : [message],
);
export const ALL_MARKS: readonly string[] = marksIn(JSON.stringify([EARLIER, LATER]));

/** The distinct words that tell the texts apart. */
export function marksIn(words: string): readonly string[] {
  return [...new Set(words.match(/mark[a-z]+/g))];
}

async function live(session: Session, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    if (message.role === "assistant") {
      await session.prepare(REQUEST);
      await session.record({ messages: [message], usage: USAGE, stopReason: "end_turn" });
    } else await session.append(message);
  }
}

/** A session that was lived in; `hasCheckpoint`: it was closed and opened again on the way. */
export async function soundSession({ hasCheckpoint }: { readonly hasCheckpoint: boolean }): Promise<Stored> {
  const disk = new InMemoryFileSystem();
  let session = await createSession({ ...optionsOn(disk, 1), sessionId: SESSION });
  await live(session, EARLIER);
  await session.setMetadata("title", "a bug");
  await session.pin({ seq: 2 });
  if (hasCheckpoint) {
    await session.close();
    session = await openSession(SESSION, optionsOn(disk, 2));
  }
  await live(session, LATER);
  await internalsOf(session).log.sync();
  return storedOn(disk);
}

/** A session that got `messages` one by one, as an import hands them over, and was left. */
export async function appendedSession(
  messages: readonly unknown[],
  onRefusal: (error: unknown) => void,
  observer: SessionObserver,
): Promise<Stored> {
  const disk = new InMemoryFileSystem();
  const session = await createSession({ ...optionsOn(disk, 1, observer), sessionId: SESSION });
  await session.setMetadata("title", "appended");
  for (const message of messages) await session.append(message as Message).catch(onRefusal);
  return storedOn(disk);
}
