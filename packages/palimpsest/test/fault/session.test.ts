/**
 * A whole session on a disk that fails: the n-th file operation fails, for every n, and the host tries
 * what failed once more. The window has every entry of the log once.
 */

import { FakeClock, faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import type { Session } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

/** Every operation with every fault in the long suite; in the default one each operation with one of them. */
const STEP = bySize({ usual: 41, long: 3, soak: 1 });
const ROOT = "/sessions";
const MODEL = { model: "claude-opus-4-5" };
const USAGE = { inputTokens: 500, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 9 };
const LARGE = "a line of a large result\n".repeat(3_000);

function optionsOn(fs: FileSystem): SessionOptions {
  const ids = seededIds(7);
  const store = new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids });
  return { store, clock: new FakeClock(), ids, hasher: nodeHasher, window: { windowTokens: 8_000 } };
}

/** Does it, and once more if the disk refused it. */
async function twice<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(STORE_FAILED|SESSION_UNREADABLE)$/) });
    return work();
  }
}

/** A life of a session with everything that writes. */
async function live(session: Session): Promise<void> {
  await twice(() => session.append(user("What is in the log?")));
  for (let turn = 0; turn < 4; turn++) {
    await twice(() => session.prepare(MODEL));
    const answer = { messages: [assistant(`r${turn}`, call(`c${turn}`))], usage: USAGE };
    await twice(() => session.record(answer));
    await twice(() => session.append(user(result(`c${turn}`, turn % 2 === 0 ? LARGE : "short"))));
  }
  await twice(() => session.setMetadata("title", "a log"));
  await twice(() => session.rewind(5));
  await twice(() => session.append(user("another way")));
  await twice(() => session.prepare(MODEL));
  await twice(() => session.close());
}

const textsOf = (session: Session): readonly string[] =>
  session.visible.map((message) => `${message.seq} ${message.role} ${JSON.stringify(message.blocks)}`);

describe.each<{ error: FileFault; first: number; why: string }>([
  { error: "ENOSPC", first: 1, why: "the disk is full" },
  { error: "EIO", first: 15, why: "the disk is broken" },
  { error: "short", first: 29, why: "a write is cut short" },
])("a session while $why", ({ error, first }) => {
  it("goes on after the n-th file operation failed, for every n", async () => {
    for (let failAtCall = STEP === 1 ? 1 : first; ; failAtCall += STEP) {
      const disk = new InMemoryFileSystem();
      const fs = faultyFileSystem(disk, { failAtCall, error });
      const options = optionsOn(fs);
      const session = await twice(() => createSession(options));
      await live(session);
      const reopened = await openSession(session.id, optionsOn(disk));
      expect(textsOf(reopened), `operation ${failAtCall} failed`).toEqual(textsOf(session));
      expect(reopened.tokens, `operation ${failAtCall} failed`).toEqual(session.tokens);
      const asked = await reopened.history.search("What is in the log?", { limit: 30 });
      expect(asked.filter((hit) => hit.role === "user" && hit.snippet.includes("What is in"))).toHaveLength(
        1,
      );
      if (!fs.didFail()) return;
      expect(failAtCall).toBeLessThan(500);
    }
  });
});
