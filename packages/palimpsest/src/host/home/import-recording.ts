/**
 * Makes a session from one that another tool recorded, with its texts, times and authors. Parts that have no place in
 * it are reported.
 */

import { StoreError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import type { ImportedSession } from "../../importers/registry.ts";
import { importFile } from "../../runtime/input-files/input-file.ts";
import { EventLoopYielder } from "../../runtime/yield-to-event-loop.ts";
import { createSession } from "../../session/lifecycle/open-session.ts";
import type { SessionOptions } from "../../session/options/session-options.ts";
import type { Session } from "../../session/session.ts";
import type { Usage } from "../../transcript/blocks.ts";
import type { HomeImport } from "./home-types.ts";

/**
 * Compactions of a recording that an imported session remembers. Source: our choice: metadata is carried in every
 * checkpoint.
 */
const RECORDED_COMPACTIONS_COUNT = 50;

type Wired = Pick<SessionOptions, "store" | "clock" | "ids" | "hasher"> & { readonly signal?: AbortSignal };

/** Makes a session of each that the file holds. Where it is stopped, those that are whole stay. */
export async function importRecording(path: string, wired: Wired): Promise<readonly HomeImport[]> {
  const { signal = new AbortController().signal } = wired;
  const { sessions } = await importFile(path, { signal });
  const made: HomeImport[] = [];
  for (const imported of sessions) {
    if (!imported.items.some(({ type }) => type === "message")) continue;
    made.push(await importOne(imported, wired, new EventLoopYielder(signal)));
  }
  return made;
}

async function importOne(
  imported: ImportedSession,
  wired: Wired,
  yielder: EventLoopYielder,
): Promise<HomeImport> {
  const { format, sessionId: originalId, workingCopy, title, leftOut, repairs } = imported;
  const { signal: _, ...ports } = wired;
  const session = await createSession({
    ...ports,
    source: {
      format,
      sessionId: originalId,
      ...recordedTimes(imported),
    },
    workingCopy,
    ...(title === undefined ? {} : { metadata: { title: redactBroken(title).text } }),
  });
  const taking = new Taking(session);
  try {
    for (const item of imported.items) {
      await yielder.take();
      await taking.take(item);
    }
    await taking.finish();
    await session.close();
  } catch (error) {
    throw await discarded(session, wired, error);
  }
  return {
    sessionId: session.id,
    format,
    originalId,
    messages: taking.messages,
    leftOutMessages: leftOut.length,
    repairs: [...taking.notCarried(imported), ...repairs.map(repairWords)],
  };
}

/** When the first and the last message were recorded; nothing where the recording has no times. */
function recordedTimes({ items }: ImportedSession): { readonly firstAt?: number; readonly lastAt?: number } {
  let [firstAt, lastAt] = [Number.POSITIVE_INFINITY, 0];
  for (const item of items) {
    const { at } = item.type === "message" ? item.message : {};
    // Tools write 0 where they know no time.
    if (at === undefined || !(at > 0)) continue;
    firstAt = Math.min(firstAt, at);
    lastAt = Math.max(lastAt, at);
  }
  return lastAt === 0 ? {} : { firstAt, lastAt };
}

/** One recording on its way into a session. */
class Taking {
  messages = 0;
  readonly #session: Session;
  readonly #boundaries: JsonObject[] = [];
  #lastSeq = 0;
  #boundariesCount = 0;
  #usage: Usage | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  async take(item: ImportedSession["items"][number]): Promise<void> {
    if (item.type === "message") {
      this.messages++;
      this.#lastSeq = (await this.#session.append(item.message)).at(-1) ?? this.#lastSeq;
      if (item.usage !== undefined) this.#usage = sum(this.#usage, item.usage);
    } else if (item.type === "metadata") await this.#session.setMetadata(`recorded.${item.key}`, item.value);
    else {
      const { type, trigger, preTokens } = item;
      this.#boundariesCount++;
      this.#boundaries.push({
        type,
        trigger,
        afterSeq: this.#lastSeq,
        ...(preTokens === undefined ? {} : { preTokens }),
      });
      if (this.#boundaries.length > RECORDED_COMPACTIONS_COUNT) this.#boundaries.shift();
    }
  }

  /** Adds the records about the session as a whole. */
  async finish(): Promise<void> {
    if (this.#boundaries.length > 0)
      await this.#session.setMetadata("recorded.compactions", this.#boundaries);
    if (this.#usage !== undefined) await this.#session.setMetadata("recorded.usage", { ...this.#usage });
  }

  notCarried({ system, tools }: ImportedSession): readonly string[] {
    const count = this.#boundariesCount;
    return [
      ...(system === undefined
        ? []
        : [`the system prompt (${system.length} characters) is not carried over`]),
      ...(tools === undefined ? [] : [`definitions of ${tools.length} tools are not carried over`]),
      ...(count === 0
        ? []
        : [
            `${count === 1 ? "1 compaction is" : `${count} compactions are`} only noted: the conversation is whole, without ${count === 1 ? "its summary" : "their summaries"}`,
          ]),
    ];
  }
}

function sum(one: Usage | undefined, other: Usage): Usage {
  return {
    inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
    cacheReadTokens: (one?.cacheReadTokens ?? 0) + other.cacheReadTokens,
    cacheWriteTokens: (one?.cacheWriteTokens ?? 0) + other.cacheWriteTokens,
    outputTokens: (one?.outputTokens ?? 0) + other.outputTokens,
  };
}

function repairWords({ kind, line, detail }: ImportedSession["repairs"][number]): string {
  return line === undefined ? `${kind}: ${detail}` : `${kind} in line ${line}: ${detail}`;
}

/** Takes away what was made so far; the error to throw says where it is if that fails too, as on a full disk. */
async function discarded(session: Session, { store, clock }: Wired, error: unknown): Promise<unknown> {
  // The session is deleted: a failed close loses nothing.
  await session.close().catch(() => {});
  try {
    await store.trash(session.id, { at: clock.nowMs(), reason: "an import that was not finished" });
    await store.purge(session.id);
    return error;
  } catch (problem) {
    const isThere = !(problem instanceof StoreError && problem.code === "SESSION_NOT_FOUND");
    return isThere && error instanceof StoreError && error.code === "STORE_FAILED"
      ? leftBehind(session.id, error)
      : error;
  }
}

function leftBehind(sessionId: string, { message, hint, cause }: StoreError): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `${message}. What was imported until then could not be taken away again: it is session ${sessionId}.`,
    hint,
    cause,
  });
}
