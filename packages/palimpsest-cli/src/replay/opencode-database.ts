/**
 * The newest session of opencode, which keeps its sessions in a database of SQLite, in the form of `opencode export`.
 * Node.js reads such a database from version 22 on.
 */
import { OptionError } from "palimpsest";

/** The used part of `node:sqlite`, which the types of Node.js 20 do not have. */
interface Database {
  prepare(sql: string): { all(...values: readonly string[]): readonly Readonly<Record<string, unknown>>[] };
  close(): void;
}

/** Sessions that are looked at for one with messages. Our choice: the newest may have been opened only. */
const LOOKED_COUNT = 20;

/** The session, as the text of an export; `undefined` if none has messages. @throws `OptionError` where it cannot be read */
export async function newestOfOpencode(path: string): Promise<string | undefined> {
  const database = await openDatabase(path);
  try {
    // Sub-agents have a parent.
    const sessions = database
      .prepare(
        `SELECT id, directory, title, version, time_created, time_updated FROM session
         WHERE parent_id IS NULL ORDER BY time_updated DESC LIMIT ${LOOKED_COUNT}`,
      )
      .all();
    for (const { id, time_created: created, time_updated: updated, ...info } of sessions) {
      const messages = messagesOf(database, String(id));
      if (messages.some(({ info: { role } }) => role === "assistant"))
        return JSON.stringify({ info: { id, ...info, time: { created, updated } }, messages });
    }
    return undefined;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    database.close();
  }
}

function messagesOf(database: Database, sessionId: string) {
  const parts = new Map<unknown, object[]>();
  for (const { id, message_id: messageId, data } of database
    .prepare("SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id")
    .all(sessionId)) {
    const ofMessage = parts.get(messageId) ?? [];
    ofMessage.push({ ...jsonOf(data), id, messageID: messageId, sessionID: sessionId });
    parts.set(messageId, ofMessage);
  }
  return database
    .prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id")
    .all(sessionId)
    .map(({ id, data }) => ({
      info: { ...jsonOf(data), id, sessionID: sessionId } as Readonly<Record<string, unknown>>,
      parts: parts.get(id) ?? [],
    }));
}

function jsonOf(data: unknown): object {
  const value: unknown = JSON.parse(String(data));
  return typeof value === "object" && value !== null ? value : {};
}

async function openDatabase(path: string): Promise<Database> {
  const warn = process.emitWarning;
  try {
    // Node.js warns about its own module, which tells a user nothing.
    process.emitWarning = () => undefined;
    const name = "node:sqlite";
    const { DatabaseSync } = (await import(name)) as {
      readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => Database;
    };
    return new DatabaseSync(path, { readOnly: true });
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    process.emitWarning = warn;
  }
}

function unreadable(path: string, cause: unknown): OptionError {
  return new OptionError({
    message: `The database ${path} of opencode cannot be read here.`,
    hint: "Use Node.js 22 or newer, or export a session: opencode export SESSION > session.json",
    cause,
  });
}
