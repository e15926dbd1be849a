/**
 * A session with notes on a disk of the tests: what an updater answers is up to the test, and whatever is on the
 * disk, in the log and in the window can be looked at afterwards.
 */

import { FakeClock, InMemoryFileSystem } from "palimpsest-testing";
import type { AgentSession } from "#agent/agent-session.ts";
import { createPalimpsest, type Palimpsest, type PalimpsestOptions } from "#host/create-palimpsest.ts";
import type { FileSystem } from "#ports/file-system.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import type { NotesFile } from "#ports/session-store.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { type FakeModel, type FakeReply, fakeModel } from "#test/agent/fake-model.ts";
import type { Entry } from "#transcript/entries.ts";

export const ROOT = "/srv/ann/.palimpsest/projects/app";
export const SESSION = "s1";
export const FOLDER = `${ROOT}/${SESSION}`;
export const NOTES_FILE = `${FOLDER}/notes.md`;

/** Answers to requests for an update of the notes. */
export type Reply = (request: ModelRequest, index: number) => FakeReply | Promise<FakeReply>;

export interface NotesStageOptions extends Partial<Omit<PalimpsestOptions, "model">> {
  readonly root?: string;
  readonly fs: FileSystem;
  readonly reply?: Reply;
  /** Answers to all other requests. @defaultValue "I went on." */
  readonly answer?: Reply;
}

export interface NotesStage {
  readonly palimpsest: Palimpsest;
  readonly model: FakeModel;
  readonly events: SessionEvent[];
  readonly clock: FakeClock;
  updates(): readonly (SessionEvent & { readonly type: "notes-update" })[];
  unreadable(): readonly string[];
}

/** True if a request asks for an update of the notes, whatever its prompt and its form. */
export const isUpdate = ({ messages, system }: ModelRequest): boolean => {
  const block = messages.at(-1)?.content.at(-1);
  const isForked = block?.type === "text" && /notes up to date|KEEP NOTES/.test(block.text);
  return isForked || system?.startsWith("You keep the notes") === true;
};

export function notesStage(options: NotesStageOptions): NotesStage {
  const {
    root = ROOT,
    fs,
    reply = () => LEGAL_PATCH,
    answer = () => "I went on.",
    notes,
    ...others
  } = options;
  const counts = { updates: 0, answers: 0 };
  const model = fakeModel((request) =>
    isUpdate(request) ? reply(request, counts.updates++) : answer(request, counts.answers++),
  );
  const events: SessionEvent[] = [];
  const clock = new FakeClock();
  const palimpsest = createPalimpsest({
    model,
    store: fileStore(fs, root, clock),
    clock,
    observer: { onEvent: (event) => events.push(event) },
    notes: notes === "off" ? "off" : { isGated: false, costShareCap: "off", ...notes },
    ...others,
  });
  const updates = () => events.filter((event) => event.type === "notes-update");
  const unreadable = () =>
    events.flatMap((event) => (event.type === "notes-unreadable" ? [event.reason] : []));
  return { palimpsest, model, events, clock, updates, unreadable };
}

/** A store of a process that finds every other process dead. */
export function fileStore(fs: FileSystem, root = ROOT, clock = new FakeClock()): FileSessionStore {
  const process = { pid: 1, host: "host", space: "space", startedAt: undefined, isAlive: () => false };
  const lease = { clock, process, timer: { every: () => () => undefined } };
  return new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds, lease });
}

/** One more entry of the worklog. */
export const LEGAL_PATCH = '<append section="Worklog">\n- step two\n</append>';

/** A disk with a session that has said something, and with notes where they are given. */
export async function diskWithSession(
  notes?: string,
  fs = new InMemoryFileSystem(),
): Promise<InMemoryFileSystem> {
  const { palimpsest } = notesStage({ fs, notes: "off" });
  const agent = await palimpsest.create({ sessionId: SESSION });
  await agent.turn("Mend the parser.");
  await palimpsest.close();
  if (notes !== undefined) fs.writeFile(NOTES_FILE, Buffer.from(notes));
  return fs;
}

/** One turn of the session, and its end. */
export async function oneTurn(
  stage: NotesStage,
  options: Parameters<AgentSession["turn"]>[1] = {},
  prompt = "Go on.",
): Promise<AgentSession> {
  const agent = await stage.palimpsest.open(SESSION);
  await agent.turn(prompt, options);
  await stage.palimpsest.close();
  return agent;
}

export function textAt(disk: InMemoryFileSystem, path = NOTES_FILE): string | undefined {
  return disk.stat(path) === undefined ? undefined : Buffer.from(disk.readFile(path)).toString("utf8");
}

/** Every file below a folder, by its path. */
export function filesBelow(disk: InMemoryFileSystem, folder = "/"): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of disk.list(folder)) {
    const path = `${folder === "/" ? "" : folder}/${name}`;
    if (disk.stat(path)?.isDirectory === true)
      for (const [inner, text] of filesBelow(disk, path)) files.set(inner, text);
    else files.set(path, Buffer.from(disk.readFile(path)).toString("utf8"));
  }
  return files;
}

/** All entries of the session's log. */
export async function entriesOn(fs: FileSystem, root = ROOT, id = SESSION): Promise<readonly Entry[]> {
  const log = await fileStore(fs, root).open(id);
  const entries: Entry[] = [];
  for await (const batch of log.readAll()) entries.push(...batch.entries.map(({ entry }) => entry));
  await log.close();
  return entries;
}

/** The newest mark in the log of the entries that the notes cover. */
export async function markOn(
  fs: FileSystem,
  root = ROOT,
  id = SESSION,
): Promise<Record<string, unknown> | undefined> {
  const marks = (await entriesOn(fs, root, id)).flatMap((entry) =>
    entry.type === "metadata" && entry.key === "palimpsest.notes" ? [entry.value] : [],
  );
  return marks.at(-1) as Record<string, unknown> | undefined;
}

/** The notes as the store reads them. */
export async function readNotes(fs: FileSystem, root = ROOT, id = SESSION): Promise<string | undefined> {
  return withNotes(fs, (notes) => notes.read(), root, id);
}

export async function withNotes<Result>(
  fs: FileSystem,
  work: (notes: NotesFile) => Promise<Result>,
  root = ROOT,
  id = SESSION,
): Promise<Result> {
  const log = await fileStore(fs, root).open(id);
  try {
    return await work(log.notes!);
  } finally {
    await log.close();
  }
}

/** The last entry that the notes cover, by the log; 0 if the log does not say. */
export async function coveredOn(fs: FileSystem): Promise<unknown> {
  return (await markOn(fs))?.["throughSeq"] ?? 0;
}
