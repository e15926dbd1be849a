/**
 * A memory of conversations for tests: in memory, with a fake clock, seeded ids and time limits that end
 * when a test says so.
 */

import { FakeClock, seededIds } from "palimpsest-testing";
import type { CompressionReport } from "#conversation/compression/compression-report.ts";
import type { ConversationMemoryOptions } from "#conversation/conversation-manager.ts";
import { ConversationMemory } from "#conversation/conversation-manager.ts";
import type { Deadline } from "#ports/runtime.ts";
import type { SessionStore } from "#ports/session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";

/** Time limits that end at the word of a test. */
export class FakeDeadline implements Deadline {
  readonly waiting: { readonly ms: number; readonly work: () => void }[] = [];

  after(ms: number, work: () => void): () => void {
    const one = { ms, work };
    this.waiting.push(one);
    return () => {
      const index = this.waiting.indexOf(one);
      if (index !== -1) this.waiting.splice(index, 1);
    };
  }

  /** Ends all that are running. */
  end(): void {
    for (const { work } of this.waiting.splice(0)) work();
  }
}

export interface TestMemory {
  readonly memory: ConversationMemory;
  readonly store: SessionStore;
  readonly clock: FakeClock;
  readonly deadline: FakeDeadline;
  readonly reports: CompressionReport[];
  readonly failures: unknown[];
  /** Another manager on the same store, as another process would have one. */
  readonly another: (options?: Partial<ConversationMemoryOptions>) => ConversationMemory;
}

export function aMemory(options: Partial<ConversationMemoryOptions> = {}): TestMemory {
  const clock = new FakeClock();
  const deadline = new FakeDeadline();
  const store = options.store ?? new InMemorySessionStore();
  const wired = { clock, deadline, hasher: nodeHasher, ids: seededIds(1) };
  const memory = new ConversationMemory({ ...wired, ...options, store });
  const reports: CompressionReport[] = [];
  const failures: unknown[] = [];
  memory.on("compressed", (_session, report) => reports.push(report));
  memory.on("background:failed", (_session, error) => failures.push(error));
  const another = (others: Partial<ConversationMemoryOptions> = {}): ConversationMemory =>
    new ConversationMemory({ ...wired, ids: seededIds(2), ...others, store });
  return { memory, store, clock, deadline, reports, failures, another };
}

/** A sentence of about twenty tokens; the numbers make it one of its kind. */
export const sentence = (number: number): string =>
  `This is sentence number ${number} of a conversation that somebody has to remember in every detail.`;

/** Adds `count` messages, the user's and the assistant's in turn. */
export async function conversation(memory: ConversationMemory, count: number, session = "s1"): Promise<void> {
  for (let index = 0; index < count; index++) {
    if (index % 2 === 0) await memory.addUserMessage(session, sentence(index));
    else await memory.addAssistantMessage(session, sentence(index));
  }
}

/** Everything that a memory reports about a session. */
export function reported(memory: ConversationMemory, session = "s1"): unknown {
  return {
    state: memory.exportSession(session),
    stats: memory.getStats(session),
    context: memory.getContextForLLM(session),
    data: memory.getContextData(session),
  };
}
