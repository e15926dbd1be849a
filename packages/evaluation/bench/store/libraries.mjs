/**
 * The sessions of each library, as its users have them: an append, its durability, and the result of opening.
 * One session in one folder; every message is a user's of about 1 KB.
 *
 * - palimpsest: the file store as `nodeSessions` wires it, with lease and index.
 * - langgraph: `SqliteSaver.put` of a checkpoint with all messages, which is what a graph does after each step.
 *   It runs SQLite in WAL mode, which syncs at its checkpoints only; durable is `synchronous = FULL`.
 * - pi: `SessionManager.appendMessage`, a line in a file. It never syncs.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const TEXT_CHARACTERS = 900;
const AT = 1_767_225_600_000;
const SESSION = "session";
const SUMMARY = "What was said before, in short.";

export const textOf = (index) =>
  `line ${index}: const value = compute(${index});\n`.repeat(40).slice(0, TEXT_CHARACTERS);

/** The message that every library gets, without the parts that each adds; bytes on disk are compared with it. */
export const messageBytes = (text) =>
  Buffer.byteLength(JSON.stringify({ role: "user", content: [{ type: "text", text }] }));

/** Everything under a folder. */
export function folderBytes(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

export const LIBRARIES = { palimpsest, langgraph, pi };

async function palimpsest({ dist }) {
  const load = (file) => import(new URL(file, dist).href);
  const [{ folderStore }, { nodeSessions }, { randomIds }] = await Promise.all(
    [
      "palimpsest/dist/host/folder-store.js",
      "palimpsest/dist/host/node-sessions.js",
      "palimpsest/dist/stores/platform/node-ports.js",
    ].map(load),
  );
  return {
    version: "palimpsest",
    canSync: true,
    async begin(folder) {
      const log = await folderStore(folder).create(SESSION);
      const entries = entryMaker(randomIds);
      await log.append([entries("header", { sessionId: SESSION, createdBy: "palimpsest" })]);
      return {
        append: (_, text) => log.append([entries("message", userMessage(text))]),
        sync: () => log.sync(),
        close: () => log.close(),
      };
    },
    /** Written as a session is that went on to the end: the engine puts its checkpoint there. */
    async write({ folder, count, compactAfter }) {
      const log = await folderStore(folder).create(SESSION);
      const entries = entryMaker(randomIds);
      let batch = [entries("header", { sessionId: SESSION, createdBy: "palimpsest" })];
      for (let index = 1; index <= count; index++) {
        const entry = entries("message", userMessage(textOf(index)));
        batch.push(entry);
        if (index === compactAfter) batch.push(entries("edit", { edit: compaction(entry.seq) }));
        if (batch.length < 400 && index < count) continue;
        await log.append(batch);
        batch = [];
      }
      await log.close();
      const session = await nodeSessions({ folder }).open(SESSION);
      await session.append({ role: "user", content: [{ type: "text", text: "Go on." }] });
      await session.close();
    },
    async read(folder) {
      const session = await nodeSessions({ folder }).open(SESSION);
      return session.visible.length;
    },
  };
}

/** Its fields in the order in which the engine writes them. */
function userMessage(text) {
  return { role: "user", origin: "user", content: [{ type: "text", text }] };
}

function compaction(to) {
  const summary = { role: "user", content: [{ type: "text", text: SUMMARY }] };
  const effect = { hide: [{ from: 2, to }], insert: [{ afterSeq: to, messages: [summary] }] };
  return { kind: "extractive", effect, reason: "usage", freedTokens: 1, isBoundary: true };
}

function entryMaker(ids) {
  let seq = 0;
  let parentId;
  return (type, fields) => {
    seq++;
    const id = ids.entryId();
    const entry = {
      type,
      seq,
      id,
      parentId,
      v: 1,
      at: AT + seq,
      ...fields,
    };
    parentId = id;
    return entry;
  };
}

async function langgraph() {
  const [{ SqliteSaver }, { emptyCheckpoint, uuid6 }, { HumanMessage }] = await Promise.all([
    import("@langchain/langgraph-checkpoint-sqlite"),
    import("@langchain/langgraph-checkpoint"),
    import("@langchain/core/messages"),
  ]);
  const connect = (folder) => SqliteSaver.fromConnString(join(folder, "threads.db"));
  const thread = { thread_id: SESSION, checkpoint_ns: "" };
  const aMessage = (index, text) => new HumanMessage({ id: `m${index}`, content: text });
  const put = (saver, { parent, messages, step }) =>
    saver.put(
      { configurable: { ...thread, checkpoint_id: parent } },
      {
        ...emptyCheckpoint(),
        id: uuid6(step),
        channel_values: { messages },
        channel_versions: { messages: step },
      },
      { source: "loop", step, parents: {} },
      { messages: step },
    );
  return {
    version: `langgraph-checkpoint-sqlite ${versionOf("@langchain/langgraph-checkpoint-sqlite")}`,
    canSync: true,
    async begin(folder, { isDurable }) {
      const saver = connect(folder);
      saver.setup();
      if (isDurable) saver.db.pragma("synchronous = FULL");
      const messages = [];
      let parent;
      return {
        async append(index, text) {
          messages.push(aMessage(index, text));
          const { configurable } = await put(saver, { parent, messages, step: index });
          parent = configurable.checkpoint_id;
        },
        sync: () => undefined,
        close: () => saver.db.close(),
      };
    },
    /** At once: a checkpoint for each message would take as many gigabytes as there are thousands of them. */
    async write({ folder, count, compactAfter = 0 }) {
      const saver = connect(folder);
      const messages = [];
      for (let index = compactAfter + 1; index <= count; index++)
        messages.push(aMessage(index, textOf(index)));
      await put(saver, { messages, step: 1 });
      saver.db.close();
    },
    async read(folder) {
      const tuple = await connect(folder).getTuple({ configurable: thread });
      return tuple.checkpoint.channel_values.messages.length;
    },
  };
}

async function pi() {
  const { SessionManager } = await import("@earendil-works/pi-coding-agent");
  const user = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: AT });
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  // Until the model has answered, nothing is written.
  const answer = {
    role: "assistant",
    content: [{ type: "text", text: "Yes." }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: { ...usage, cost },
    stopReason: "stop",
    timestamp: AT,
  };
  const begin = (folder) => {
    const manager = SessionManager.create(folder, folder);
    manager.appendMessage(user("Can you?"));
    manager.appendMessage(answer);
    return manager;
  };
  return {
    version: `pi-coding-agent ${versionOf("@earendil-works/pi-coding-agent")}`,
    canSync: false,
    async begin(folder) {
      const manager = begin(folder);
      return { append: (_, text) => manager.appendMessage(user(text)), close: () => undefined };
    },
    async write({ folder, count, compactAfter }) {
      const manager = begin(folder);
      for (let index = 1; index <= count; index++) {
        const id = manager.appendMessage(user(textOf(index)));
        if (index === compactAfter) manager.appendCompaction(SUMMARY, id, 100_000);
      }
    },
    async read(folder) {
      const file = readdirSync(folder).find((name) => name.endsWith(".jsonl"));
      return SessionManager.open(join(folder, file), folder).buildSessionContext().messages.length;
    },
  };
}

function versionOf(name) {
  const url = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")).version;
}
