/**
 * A session of our own from one that another tool recorded: what was said, when, and by whom.
 */
import { readInputFile } from "../../../adapters/node/input-file.ts";
import type { JsonValue } from "../../../base/json.ts";
import { createSession } from "../../../engine/open-session.ts";
import type { Session } from "../../../engine/session.ts";
import type { SessionOptions } from "../../../engine/session-options.ts";
import { importSessions } from "../../../formats/import-session.ts";
import type { ImportedItem, ImportedSession } from "../../../formats/imported-session.ts";
import type { HomeImport } from "../../palimpsest-home.ts";
import { Breath } from "../breath.ts";

type Wired = Pick<SessionOptions, "store" | "clock" | "ids" | "hasher"> & { readonly signal?: AbortSignal };

/** Makes a session of each that the file holds. Where it is stopped, those that are whole stay. */
export async function importRecording(path: string, wired: Wired): Promise<readonly HomeImport[]> {
  const { signal = new AbortController().signal } = wired;
  const { sessions } = importSessions(await readInputFile(path, { signal }));
  const made: HomeImport[] = [];
  for (const imported of sessions) {
    if (!imported.items.some(({ type }) => type === "message")) continue;
    made.push(await importOne(imported, wired, new Breath(signal)));
  }
  return made;
}

async function importOne(imported: ImportedSession, wired: Wired, breath: Breath): Promise<HomeImport> {
  const { format, sessionId: originalId, workingCopy, title, items, leftOut, repairs } = imported;
  const { signal: _, ...ports } = wired;
  const session = await createSession({
    ...ports,
    source: { format, ...(originalId === undefined ? {} : { sessionId: originalId }) },
    ...(workingCopy === undefined ? {} : { workingCopy }),
  });
  try {
    if (title !== undefined) await session.setMetadata("title", title);
    for (const [index, item] of items.entries()) {
      await breath.take();
      await take(item, index, session);
    }
    await session.close();
  } catch (error) {
    await discard(session, wired);
    throw error;
  }
  return {
    sessionId: session.id,
    format,
    ...(originalId === undefined ? {} : { originalId }),
    messages: items.filter(({ type }) => type === "message").length,
    leftOutMessages: leftOut.length,
    repairs: repairs.map(({ kind, line, detail }) =>
      line === undefined ? `${kind}: ${detail}` : `${kind} in line ${line}: ${detail}`,
    ),
  };
}

async function take(item: ImportedItem, index: number, session: Session): Promise<void> {
  if (item.type === "message") await session.append(item.message);
  else if (item.type === "metadata") await session.setMetadata(`recorded.${item.key}`, item.value);
  else {
    const { type, ...recorded } = item;
    await session.setMetadata(`recorded-${type}.${index}`, JSON.parse(JSON.stringify(recorded)) as JsonValue);
  }
}

async function discard(session: Session, { store, clock }: Wired): Promise<void> {
  try {
    await session.close();
    await store.trash(session.id, { at: clock.nowMs(), reason: "an import that was not finished" });
    await store.purge(session.id);
  } catch {
    // Nothing was stored yet, or it cannot be taken away now: why there is no session is worth more.
  }
}
