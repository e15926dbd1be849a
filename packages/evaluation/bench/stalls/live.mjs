/**
 * Lives through sessions: records what the model answered, appends what arrived, prepares the next call.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tokensOf } from "./steps.mjs";

const SYSTEM =
  "You are a coding agent. Read before you write, test what you change, say what you did.\n".repeat(160);
const MODEL = "claude-opus-4-5";
const REPORTED_CHARACTERS_PER_TOKEN = 3.1;

/** A place for sessions: `memory`, or `files` with a durability. */
export function openPlace(palimpsest, store, durability) {
  const { createSession, InMemorySessionStore, nodeHasher, nodeSessions, randomIds, systemClock } =
    palimpsest;
  const window = { windowTokens: 200_000 };
  if (store === "files") {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-stalls-"));
    const sessions = nodeSessions({ folder });
    return {
      create: () => sessions.create({ window, durability }),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const memory = new InMemorySessionStore();
  const ports = { store: memory, clock: systemClock, ids: randomIds, hasher: nodeHasher };
  return { create: () => createSession({ ...ports, window }), remove: () => undefined };
}

/** One session on its way through steps. */
export class Life {
  constructor(session, steps) {
    this.session = session;
    this.steps = steps;
    this.tokens = 0;
    this.messages = 0;
    this.rewrites = 0;
    this.sizes = new WeakMap();
  }

  /** One call; `thinkMs` is the time that the model takes, between `record` and the next input. */
  async step({ thinkMs, think } = {}) {
    const { answers, arrived } = this.steps.next().value;
    const tokens = tokensOf(answers) + tokensOf(arrived);
    const usage = this.sent === undefined ? undefined : this.#usage();
    const recordFrom = performance.now();
    if (answers.length > 0 && this.sent !== undefined)
      await this.session.record({ messages: answers, ...(usage === undefined ? {} : { usage }) });
    const recordTo = performance.now();
    if (thinkMs !== undefined) await sleep(thinkMs);
    await think?.();
    const appendFrom = performance.now();
    if (arrived.length > 0) await this.session.append(arrived);
    const prepareFrom = performance.now();
    const prepared = await this.session.prepare({ model: MODEL, system: SYSTEM });
    const end = performance.now();
    this.sent = prepared;
    this.tokens += tokens;
    this.messages += answers.length + arrived.length;
    this.rewrites += prepared.edits.length;
    const prepareMs = end - prepareFrom;
    return {
      prepareMs,
      turnMs: recordTo - recordFrom + (end - appendFrom),
      kinds: prepared.edits.map(({ edit }) => edit.kind),
    };
  }

  #usage() {
    let characters = SYSTEM.length;
    for (const { content } of this.sent.messages)
      for (const block of content) characters += this.#size(block);
    return {
      inputTokens: Math.round(characters / REPORTED_CHARACTERS_PER_TOKEN),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 300,
    };
  }

  #size(block) {
    let size = this.sizes.get(block);
    if (size === undefined) {
      size = block.type === "text" ? block.text.length : JSON.stringify(block).length;
      this.sizes.set(block, size);
    }
    return size;
  }
}
