/**
 * One update of a session's notes, by a model or from the log: asks, applies the answer, and reports the result.
 * Nothing here rejects, and nothing is written if the conversation went back meanwhile.
 */
import { errorMessage, PalimpsestError } from "../../base/errors.ts";
import { factsOfDigest } from "../../compaction/digest/saved-digest.ts";
import { applySectionPatches } from "../../notes/apply-patches.ts";
import { applyNotesEdit } from "../../notes/edit-notes.ts";
import { extractNotes } from "../../notes/extractive-notes.ts";
import type { NotesLimits } from "../../notes/notes-document.ts";
import { isEmptyTemplate, type NotesDocument } from "../../notes/notes-document.ts";
import type { NotesState } from "../../session/append/carried-marks.ts";
import type { NotesUpdate } from "../../session/events/events.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { type AnsweredCall, callsTools, type NotesProgress } from "./notes-progress.ts";
import { type NotesStore, sizeOfNotes } from "./notes-store.ts";
import type { NotesAnswer, NotesAsk, NotesCall, NotesUpdater } from "./notes-updater.ts";

interface NotesUpdateRunnerOptions {
  readonly session: Session;
  readonly notes: NotesStore;
  readonly progress: NotesProgress;
  readonly updater: NotesUpdater;
  readonly limits: () => NotesLimits;
  readonly hasEditTool: boolean;
}

/** Failures of calls that the provider may have answered all the same. */
const MAY_BE_BILLED: ReadonlySet<string> = new Set([
  "timeout",
  "aborted",
  "network",
  "unreadable-answer",
  "unknown",
]);

/** Refusals of edits that were meant for a section's text and did not find it. */
const MISSED: ReadonlySet<string> = new Set(["not-found", "ambiguous"]);

/** Refusals of patches whose text is nowhere now. What found no room is another thing: notes keep what their limits allow. */
const LOST: ReadonlySet<string> = new Set(["changed-meanwhile", "unknown-section"]);

const NOTHING = { changed: [], refusedCount: 0 } as const;

export class NotesUpdateRunner {
  readonly #options: NotesUpdateRunnerOptions;

  constructor(options: NotesUpdateRunnerOptions) {
    this.#options = options;
  }

  /** By a model, from the conversation as it is when this is called; the notes are read once they are ready. */
  async byModel(
    call: AnsweredCall,
    { isReady, signal }: { readonly isReady: Promise<void>; readonly signal: AbortSignal },
  ): Promise<NotesUpdate> {
    const { notes, progress, updater } = this.#options;
    const { conversationTokens } = progress;
    try {
      // Read before any wait: later messages belong to the next update.
      const asked = this.#askOf(call);
      await isReady;
      const coveredThroughSeq = (await notes.validState())?.throughSeq ?? 0;
      const { document } = await notes.load();
      const written = await updater.write({ ...asked, coveredThroughSeq, document }, signal);
      const { form, usage, model, unknownVariables } = written;
      if (written.type === "answer" || MAY_BE_BILLED.has(written.kind))
        progress.updateCalled(usage, model, call);
      const update = { form, usage, ...(unknownVariables.length === 0 ? {} : { unknownVariables }) };
      if (written.type === "failed")
        return { ...update, ...NOTHING, outcome: "failed", reason: written.kind };
      const { throughSeq, isWhole } = written;
      if (!notes.isOnLine(throughSeq)) return { ...update, ...NOTHING, outcome: "dropped" };
      const { changed, refusedCount, isWholly, document: now } = await this.#apply(written, document);
      const notesTokens = this.#resized(now);
      const done = { ...update, changed, refusedCount };
      if (changed.length === 0) {
        const isUnchanged = isWhole && refusedCount === 0 && isWholly && !isEmptyTemplate(now);
        if (!isUnchanged || !findsNothing(written)) return { ...done, outcome: "nothing-written" };
        await this.#remember(throughSeq, { conversationTokens, notesTokens, updatedBy: "model" });
        return { ...done, outcome: "unchanged", throughSeq };
      }
      if (!isWhole) return { ...done, outcome: "cut-off" };
      if (!isWholly) return { ...done, outcome: "written" };
      await this.#remember(throughSeq, { conversationTokens, notesTokens, updatedBy: "model" });
      return { ...done, outcome: "written", throughSeq };
    } catch (error) {
      return { form: "forked", ...NOTHING, outcome: "failed", reason: reasonOf(error) };
    }
  }

  /** From the log's own facts. */
  async fromLog(): Promise<NotesUpdate> {
    const { session, notes, progress, limits } = this.#options;
    const { conversationTokens } = progress;
    const throughSeq = newestSeq(session);
    try {
      const facts = factsOfDigest(await internalsOf(session).inTurn(() => internalsOf(session).digest.get()));
      const { document } = await notes.load();
      if (!notes.isOnLine(throughSeq)) return { form: "log", ...NOTHING, outcome: "dropped" };
      const changed = await notes.change((now) => extractNotes(now, facts, { limits: limits() }).document);
      const now = changed ?? document;
      await this.#remember(throughSeq, {
        conversationTokens,
        notesTokens: this.#resized(now),
        updatedBy: "log",
      });
      const titles = changedTitles(document, now);
      return { form: "log", ...NOTHING, changed: titles, outcome: "written", throughSeq };
    } catch (error) {
      return { form: "log", ...NOTHING, outcome: "failed", reason: reasonOf(error) };
    }
  }

  /** The window for the model. Calls that wait for their results cannot be sent: then it is the request as it left. */
  #askOf(call: AnsweredCall): Omit<NotesAsk, "document" | "coveredThroughSeq"> {
    const { session, limits } = this.#options;
    const { request, prepared } = call;
    const { messages, ...asked } = internalsOf(session).budgets.summaryRequest(request);
    const hasLeft = callsTools(call);
    return {
      ...asked,
      messages: hasLeft ? prepared.messages : messages,
      throughSeq: newestSeq(session, hasLeft ? prepared.callSeq : undefined),
      limits: limits(),
    };
  }

  /** Applies the answer to the current notes; changes by others meanwhile stay. */
  async #apply(
    { form, patches, edits, deniedCounts }: NotesCall & NotesAnswer,
    base: NotesDocument,
  ): Promise<
    Pick<NotesUpdate, "changed" | "refusedCount"> & {
      /** True if every change is in the notes: none was refused, and none gave way to another writer. */
      readonly isWholly: boolean;
      readonly document: NotesDocument;
    }
  > {
    const { notes, hasEditTool } = this.#options;
    const limits = this.#options.limits();
    // A cold updater has no tools: it was asked for patches.
    const byEdits = hasEditTool && form === "forked";
    const strayCount = byEdits ? patches.patches.length : 0;
    const deniedCount = Object.values(deniedCounts).reduce((sum, count) => sum + count, strayCount);
    let refusedCount = deniedCount;
    let changed: readonly string[] = [];
    let isWholly = true;
    const document = await notes.change((now) => {
      isWholly = true;
      refusedCount = deniedCount;
      let result = now;
      if (byEdits)
        for (const edit of edits) {
          const edited = applyNotesEdit(result, edit, { limits });
          if (edited.isApplied) result = edited.document;
          else {
            refusedCount++;
            if (MISSED.has(edited.reason)) isWholly = false;
          }
        }
      else {
        const applied = applySectionPatches(now, patches.patches, { limits, base });
        refusedCount += applied.refused.length;
        isWholly = !applied.refused.some(({ reason }) => LOST.has(reason));
        result = applied.document;
      }
      changed = changedTitles(now, result);
      return changed.length === 0 ? undefined : result;
    });
    return document === undefined
      ? { changed: [], refusedCount, isWholly, document: base }
      : { changed, refusedCount, isWholly, document };
  }

  #resized(document: NotesDocument): number {
    const notesTokens = sizeOfNotes(document);
    this.#options.progress.resized(notesTokens);
    return notesTokens;
  }

  async #remember(
    throughSeq: number,
    update: Pick<NotesState, "conversationTokens" | "notesTokens" | "updatedBy">,
  ): Promise<void> {
    const { session, notes, progress } = this.#options;
    progress.recordCoverage(update.conversationTokens);
    await internalsOf(session).inTurn(() => notes.remember({ throughSeq, ...update, ...progress.costs }));
  }
}

/** True if an answer that changed nothing wanted no change: it is only a remark, or repeats the notes. */
function findsNothing({ isRemark, patches, edits }: NotesAnswer): boolean {
  return isRemark || patches.patches.length > 0 || edits.length > 0;
}

/** The newest message that was said, before entry `beforeSeq`. */
function newestSeq({ visible }: Session, beforeSeq = Number.POSITIVE_INFINITY): number {
  return visible.findLast(({ seq, insertedBy }) => insertedBy === undefined && seq < beforeSeq)?.seq ?? 0;
}

function changedTitles(before: NotesDocument, after: NotesDocument): readonly string[] {
  const bodyOf = new Map(before.parts.map(({ section, body }) => [section?.title, body.trim()]));
  return after.parts.flatMap(({ section, body }) =>
    section !== undefined && (bodyOf.get(section.title) ?? "") !== body.trim() ? [section.title] : [],
  );
}

/** The reason of a failure, as one word if there is one. */
export function reasonOf(error: unknown): string {
  if (error instanceof PalimpsestError) return error.code;
  return errorMessage(error);
}
