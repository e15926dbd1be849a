/**
 * Your own store, and the contract it has to keep. This one keeps lines in a `Map`, as a
 * key-value database would; `sessionStoreContract` has a case for everything the engine relies on.
 */
import assert from "node:assert/strict";
import {
  createSession,
  nodeHasher,
  OptionError,
  openSession,
  pageOfSessions,
  randomIds,
  SessionError,
  SessionInfoBuilder,
  StoreError,
  systemClock,
} from "palimpsest";
import { formatEntry, parseEntry } from "palimpsest/transcript";
import { sessionStoreContract } from "palimpsest-testing";

class MapStore {
  #sessions = new Map();
  #trash = new Map();

  async create(sessionId, scope) {
    const key = keyOf(sessionId, scope);
    if (this.#sessions.has(key)) throw exists(sessionId);
    const stored = { lines: [], blobs: new Map(), writer: undefined };
    // A session exists after its first append; an unused one leaves nothing.
    return new MapLog(sessionId, stored, () => {
      if (this.#sessions.has(key) && this.#sessions.get(key) !== stored) throw exists(sessionId);
      this.#sessions.set(key, stored);
    });
  }

  async open(sessionId, scope) {
    return new MapLog(sessionId, this.#stored(sessionId, scope), () => {});
  }

  async list(scope) {
    return idsIn(this.#sessions, scope);
  }

  /** Collects the fields of a list from all entries; a database would keep them in columns. */
  async find(sessionId, scope) {
    const { lines, writer } = this.#stored(sessionId, scope);
    const info = new SessionInfoBuilder();
    for (const line of lines) info.add(entryOf(line));
    return info.info({ sessionId, bytes: lines.join("\n").length, isInUse: writer !== undefined });
  }

  async describe(query = {}) {
    const ids = await this.list(query.scope);
    return pageOfSessions(await Promise.all(ids.map((id) => this.find(id, query.scope))), query);
  }

  async trash(sessionId, { at, reason }, scope) {
    const stored = this.#stored(sessionId, scope);
    if (stored.writer !== undefined) throw inUse(sessionId);
    if (this.#trash.has(keyOf(sessionId, scope))) throw exists(sessionId);
    this.#trash.set(keyOf(sessionId, scope), { stored, at, reason });
    this.#sessions.delete(keyOf(sessionId, scope));
  }

  async listTrash(scope) {
    return idsIn(this.#trash, scope).map((sessionId) => {
      const { at, reason } = this.#trash.get(keyOf(sessionId, scope));
      return { sessionId, trashedAt: at, reason };
    });
  }

  async restore(sessionId, scope) {
    const trashed = this.#trash.get(keyOf(sessionId, scope));
    if (trashed === undefined) throw notFound(sessionId);
    if (this.#sessions.has(keyOf(sessionId, scope))) throw exists(sessionId);
    this.#sessions.set(keyOf(sessionId, scope), trashed.stored);
    this.#trash.delete(keyOf(sessionId, scope));
  }

  async purge(sessionId, scope) {
    if (!this.#trash.delete(keyOf(sessionId, scope))) throw notFound(sessionId);
  }

  #stored(sessionId, scope) {
    const stored = this.#sessions.get(keyOf(sessionId, scope));
    if (stored === undefined) throw notFound(sessionId);
    return stored;
  }
}

class MapLog {
  #stored;
  #register;
  #bytes = 0;
  #isClosed = false;
  #last = { key: "", positions: [] };

  constructor(sessionId, stored, register) {
    this.sessionId = sessionId;
    this.#stored = stored;
    this.#register = register;
  }

  async acquire() {
    this.#assertOpen();
    this.#acquire();
  }

  /** Lets one log write a session until it is closed. A store that processes share needs a lease. */
  #acquire() {
    if (this.#stored.writer !== undefined && this.#stored.writer !== this) throw inUse(this.sessionId);
    this.#stored.writer = this;
  }

  async append(entries) {
    this.#assertOpen();
    if (entries.length === 0) return [];
    // Repeated, because the first acknowledgement was lost: acknowledged again, stored once.
    const key = JSON.stringify(entries.map(({ seq, id }) => [seq, id]));
    if (key === this.#last.key) return this.#last.positions;
    if (this.#stored.lines.length > 0) this.#acquire();
    // Two writers must not both continue the same entry: the second gets an error.
    const last = this.#stored.lines.length === 0 ? 0 : entryOf(this.#stored.lines.at(-1)).seq;
    if (entries.some(({ seq }, index) => seq !== last + 1 + index)) {
      throw new StoreError("SESSION_TAKEN", {
        message: `Entry ${entries[0].seq} does not go on where the log ends, at ${last}.`,
        hint: "Open the session again.",
      });
    }
    this.#acquire();
    // Format all entries first: one that cannot be written must not leave others in the store.
    const lines = entries.map(formatEntry);
    this.#register();
    const positions = lines.map((line) => {
      this.#bytes += Buffer.byteLength(line);
      return this.#stored.lines.push(line) - 1;
    });
    this.#last = { key, positions };
    return positions;
  }

  async sync() {
    this.#assertOpen();
  }

  async readTail(throughSeq = this.#stored.lines.length) {
    this.#assertOpen();
    const through = this.#stored.lines.findLastIndex((line) => entryOf(line).seq === throughSeq);
    const lines = this.#stored.lines.slice(0, through + 1);
    const last = lines.findLastIndex((line) => entryOf(line).type === "checkpoint");
    return last === -1 ? { entries: [], damage: [] } : this.#contents(last, throughSeq);
  }

  async readFrom(position, toSeq) {
    this.#assertOpen();
    return this.#contents(position, toSeq);
  }

  async *readAll() {
    this.#assertOpen();
    for (let from = 0, end = this.#stored.lines.length; from < end; from += 500) {
      yield this.#contents(from, Number.POSITIVE_INFINITY, Math.min(end, from + 500));
      this.#assertOpen();
    }
  }

  #contents(from, toSeq, to = this.#stored.lines.length) {
    const entries = this.#stored.lines
      .slice(from, to)
      .map((line, index) => ({ entry: entryOf(line), position: from + index }))
      .filter(({ entry }) => entry.seq <= toSeq);
    return { entries, damage: [] };
  }

  async putBlob(hash, text) {
    this.#assertOpen();
    this.#acquire();
    if (this.#stored.blobs.has(hash)) return;
    // Bytes, as a database keeps them.
    this.#stored.blobs.set(hash, Buffer.from(text));
    this.#bytes += Buffer.byteLength(text);
  }

  async getBlob(hash) {
    this.#assertOpen();
    return this.#stored.blobs.get(hash)?.toString();
  }

  bytesWritten() {
    return this.#bytes;
  }

  async close() {
    this.#isClosed = true;
    if (this.#stored.writer === this) this.#stored.writer = undefined;
  }

  #assertOpen() {
    if (this.#isClosed)
      throw new SessionError("SESSION_CLOSED", { message: "The log was closed.", hint: "Open it again." });
  }
}

function entryOf(line) {
  const parsed = parseEntry(line);
  assert.ok(parsed.ok, "a line that was formatted can be parsed");
  return parsed.entry;
}

/** Tenant and project are part of every key; the id comes last and holds no line break. */
function scopeOf({ tenant, project } = {}) {
  return `${JSON.stringify([tenant ?? null, project ?? null])}\n`;
}

function keyOf(sessionId, scope) {
  if (/^[\w-][\w.-]{0,127}$/.test(sessionId) && !/\.jsonl$/i.test(sessionId))
    return scopeOf(scope) + sessionId;
  throw new OptionError({
    message: `${JSON.stringify(sessionId)} cannot be the id of a session.`,
    hint: "Use letters, digits and the characters . _ -",
  });
}

function idsIn(sessions, scope) {
  const keys = [...sessions.keys()].filter((key) => key.startsWith(scopeOf(scope)));
  return keys.map((key) => key.slice(scopeOf(scope).length)).sort();
}

function notFound(sessionId) {
  return new StoreError("SESSION_NOT_FOUND", {
    message: `There is no session ${sessionId}.`,
    hint: "`list` has the ids.",
  });
}

function inUse(sessionId) {
  return new StoreError("SESSION_IN_USE", {
    message: `Session ${sessionId} is in use.`,
    hint: "Close it there, or only read it here.",
  });
}

function exists(sessionId) {
  return new StoreError("SESSION_EXISTS", {
    message: `There is a session ${sessionId} already.`,
    hint: "Open it, or begin another one.",
  });
}

for (const { name, run } of sessionStoreContract) {
  const store = new MapStore();
  await run({ store, reopen: () => store, hasher: nodeHasher }).catch((error) => {
    throw new assert.AssertionError({ message: `${name}: ${error.message}` });
  });
}

const store = new MapStore();
const wired = { store, clock: systemClock, ids: randomIds, hasher: nodeHasher };
const session = await createSession({ ...wired, scope: { tenant: "acme" } });
await session.append({ role: "user", content: [{ type: "text", text: "Kept in a Map" }] });
await session.close();
const reopened = await openSession(session.id, { ...wired, scope: { tenant: "acme" } });
assert.equal(reopened.visible.length, 1);
await assert.rejects(openSession(session.id, wired), { code: "SESSION_NOT_FOUND" });
console.log(`${sessionStoreContract.length} promises kept.`);
