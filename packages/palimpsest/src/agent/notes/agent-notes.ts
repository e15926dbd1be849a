/**
 * The notes of a session with a model: brought up to date in the background, at hand when the window is full.
 *
 * DESIGN. After each answer the gate is asked; if it opens, one update begins in the background. There is
 * one at a time, it asks a model by itself and never prepares a call, so it cannot bring about a compaction. What
 * it wrote goes into the notes as they are by then, and counts only while the entry that it read up to is on the
 * line. Nothing here throws into a turn: failures are reported to the observer, and after a few failures in a row
 * the log's own facts are written without a model.
 */
import { NOTES_DEFAULTS } from "../../base/defaults/notes.ts";
import { OptionError } from "../../base/errors.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import type { SessionNotes } from "../../compaction/layers/session-memory/session-memory-compact.ts";
import { neutralise } from "../../compaction/shared/quoted-lines.ts";
import { type KeyFact, mergeKeyFacts } from "../../notes/merge-key-facts.ts";
import { formatNotes, isEmptyTemplate, type NotesDocument } from "../../notes/notes-document.ts";
import { NOTES_TEMPLATE, type NotesTemplate, readTemplate } from "../../notes/template.ts";
import { trimNotes } from "../../notes/trim-notes.ts";
import { type Breakers, saveBreakers } from "../../session/append/breakers.ts";
import { askWithin } from "../../session/model/ask-within.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { blockText, type Usage } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { AgentOptions, AgentWorld, NotesOptions } from "../options/agent-options.ts";
import { AnswerFacts, keyFacts } from "./key-facts.ts";
import { type AnsweredCall, NotesProgress } from "./notes-progress.ts";
import { hasNotes, NotesStore, notesLimits, sizeOfNotes } from "./notes-store.ts";
import { NotesUpdater } from "./notes-updater.ts";
import { NotesUpdateRunner, reasonOf } from "./update-notes.ts";

/** The notes of a session for a reader. */
export interface ReadNotes {
  readonly text: string;
  /** Their path; a bare name if the store keeps no file. */
  readonly path: string;
  /** The last entry that they cover; absent if it is off the line or unknown. */
  readonly throughSeq?: number;
}

export class AgentNotes {
  readonly #session: Session;
  readonly #options: NotesOptions;
  readonly #world: AgentWorld;
  readonly #store: NotesStore;
  readonly #progress: NotesProgress;
  readonly #runner: NotesUpdateRunner;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  /** A change of the notes that is being written beside an update. */
  #writing: Promise<void> = Promise.resolve();
  /** Facts up to here are in the notes, or a model has left them out: what comes later is merged at a compaction. */
  #mergedSeq: number;
  readonly #answers = new AnswerFacts();

  constructor(session: Session, options: AgentOptions & { readonly notes: NotesOptions }, world: AgentWorld) {
    const { model, summaryModel, notes } = options;
    this.#session = session;
    this.#options = notes;
    this.#world = world;
    const store = new NotesStore(internalsOf(session), templateOf(notes));
    const progress = new NotesProgress(session, notes, store.state);
    const updater = new NotesUpdater({
      main: model,
      cold: notes.model ?? summaryModel ?? model,
      notes,
      notesPath: store.path,
      deadline: world.deadline,
      timeoutMs: notes.updateTimeoutMs ?? NOTES_DEFAULTS.updateTimeoutMs,
    });
    const limits = () => this.#limits();
    this.#store = store;
    this.#mergedSeq = store.state?.throughSeq ?? 0;
    this.#progress = progress;
    const hasEditTool = notes.editTool !== undefined;
    this.#runner = new NotesUpdateRunner({ session, notes: store, progress, updater, limits, hasEditTool });
  }

  /** True while an update is being written. */
  get isUpdating(): boolean {
    return this.#running !== undefined;
  }

  /** A request is about to be prepared. */
  preparing(): void {
    this.#progress.preparing();
  }

  /** A call was answered: begins an update where one is due. Waits for nothing. */
  answered(call: AnsweredCall): void {
    this.#progress.answered(call);
    this.#answers.add(call.seqs, call.messages);
    if (this.#running !== undefined || this.#abort.signal.aborted) return;
    const asksModel = this.#asksModel && this.#breakers.count("notes") < NOTES_DEFAULTS.failuresCount;
    if (!this.#progress.judge(call, !asksModel).isDue) return;
    this.#progress.updateBegan();
    this.#running = this.#update(call, asksModel).finally(() => {
      this.#running = undefined;
    });
  }

  /** A summary was written by a model: it belongs to what the session costs. */
  summaryCalled(usage: Usage | undefined, model: string): void {
    this.#progress.summaryCalled(usage, model);
  }

  /**
   * Waits for an update that is being written, or until the time is up.
   * @throws `ABORTED`
   */
  async settled(signal: AbortSignal | undefined): Promise<void> {
    const { deadline } = this.#world;
    const timeoutMs = NOTES_DEFAULTS.compactionWaitMs;
    // One that takes too long is not waited for: it goes on, and the notes are passed over this time.
    await askWithin(async () => this.#running, { deadline, timeoutMs, signal }).catch(() => undefined);
    stopIfAborted(signal, "The compaction");
  }

  /**
   * The notes as a compaction may use them, with the key facts of what is new in the log; `undefined` where they
   * cannot be read. Where no model wrote them they hold only facts of the log: a summary from the log is better then,
   * unless the options name such notes.
   */
  async forCompaction(): Promise<SessionNotes | undefined> {
    try {
      const covered = await this.#store.validState();
      const isStopgap = covered?.updatedBy === "log" && this.#options.updater !== "extractive";
      if (covered === undefined || isStopgap) return undefined;
      // Beside an update nothing is merged: it would find its sections changed.
      const { deadline } = this.#world;
      const timeoutMs = NOTES_DEFAULTS.compactionWaitMs;
      const merging = async () => this.#merge(await this.#newFacts());
      const merged = this.isUpdating ? undefined : await askWithin(merging, { deadline, timeoutMs });
      const document = merged ?? (await this.#store.load()).document;
      return {
        text: formatNotes(trimNotes(document, this.#limits()).document),
        throughSeq: covered.throughSeq,
        isEmpty: isEmptyTemplate(document),
        isUpdateRunning: this.isUpdating,
      };
    } catch (error) {
      this.#unreadable(error);
      return undefined;
    }
  }

  /** Messages were hidden by something else than the notes: what matters of them goes into the notes, too. */
  compacted(): void {
    const before = Promise.all([this.#writing, this.#running]);
    this.#writing = before.then(async () => {
      try {
        await this.#merge(await internalsOf(this.#session).inTurn(() => this.#newFacts()));
      } catch (error) {
        this.#unreadable(error);
      }
    });
  }

  /** @throws `StoreError` */
  async read(): Promise<ReadNotes | undefined> {
    const { text } = await this.#store.load();
    if (text === undefined) return undefined;
    const throughSeq = (await this.#store.validState())?.throughSeq;
    return { text, path: this.#store.path, ...(throughSeq === undefined ? {} : { throughSeq }) };
  }

  /** The notes for a resumed session; `undefined` if the window holds them already. */
  async textOnResume(): Promise<string | undefined> {
    try {
      const loaded = await this.#store.load();
      const text = neutralise((loaded.text ?? "").trim());
      if (!hasNotes(loaded) || holds(this.#session.visible, text)) return undefined;
      // They cover messages that a rewind took back.
      const isStale =
        (this.#store.state?.throughSeq ?? 0) > 0 && (await this.#store.validState()) === undefined;
      if (isStale || this.#store.areForeign) return undefined;
      const { autoCompactGateTokens } = internalsOf(this.#session).budgets.budget;
      if (this.#session.tokens.padded + sizeOfNotes(loaded.document) >= autoCompactGateTokens)
        return undefined;
      return `These are the notes of this session, from ${this.#store.path}. They were taken while the work went on.\n\n${text}`;
    } catch (error) {
      this.#unreadable(error);
      return undefined;
    }
  }

  /** Waits a little for what is being written, and gives up the rest. */
  async stop(): Promise<void> {
    let cancel = (): void => undefined;
    const timeUp = new Promise<void>((resolve) => {
      cancel = this.#world.deadline.after(NOTES_DEFAULTS.drainMs, resolve);
    });
    await Promise.race([Promise.all([this.#running, this.#writing]), timeUp]);
    cancel();
    this.#abort.abort();
    // What heeds the abort is done in a moment; a store that hangs is not waited for.
    await this.#saveCosts();
  }

  /** The user has compacted by hand: models are asked again. */
  reset(): void {
    this.#breakers.reset("notes");
  }

  /** So that the cap holds for the session, and not for each time that it is opened. */
  async #saveCosts(): Promise<void> {
    try {
      await internalsOf(this.#session).inTurn(() => this.#store.saveCosts(this.#progress.costs));
    } catch (error) {
      this.#unreadable(error);
    }
  }

  async #update(call: AnsweredCall, asksModel: boolean): Promise<void> {
    const startMs = this.#world.now();
    const { signal } = this.#abort;
    const isReady = this.#writing;
    const update = await (asksModel
      ? this.#runner.byModel(call, { isReady, signal })
      : this.#runner.fromLog());
    const isNoFault = update.reason !== undefined && NO_FAULT.has(update.reason);
    if (update.form !== "log" && !isNoFault) {
      if (HELD.has(update.outcome)) this.#breakers.reset("notes");
      else this.#breakers.failed("notes");
      saveBreakers(internalsOf(this.#session));
    }
    const tookMs = this.#world.now() - startMs;
    internalsOf(this.#session).emit({ type: "notes-update", ...update, tookMs });
  }

  /** Key facts of what is new in the log, up to which entry. */
  async #newFacts(): Promise<NewFacts> {
    const { digest, writer, isHostVisible } = internalsOf(this.#session);
    const throughSeq = writer.nextSeq - 1;
    const sentences = this.#answers.visible(isHostVisible);
    return { facts: keyFacts(await digest.get(), this.#mergedSeq, sentences), throughSeq };
  }

  /** Facts, into the notes. Resolves with the notes where they changed. */
  async #merge({ facts, throughSeq }: NewFacts): Promise<NotesDocument | undefined> {
    const limits = this.#limits();
    let areEmpty = false;
    const merged = await this.#store.change((document) => {
      areEmpty = isEmptyTemplate(document);
      return areEmpty ? undefined : mergeKeyFacts(document, facts, { limits }).document;
    });
    // Where nothing was noted yet, they are merged once there is something.
    if (!areEmpty) this.#mergedSeq = throughSeq;
    if (!areEmpty) this.#answers.merged(throughSeq);
    if (merged !== undefined) this.#progress.resized(sizeOfNotes(merged));
    return merged;
  }

  /** True if the options ask for notes by a model, or name nothing that only a model needs and the policy asks for them. */
  get #asksModel(): boolean {
    const { updater, model, prompt, editTool, costShareCap } = this.#options;
    if (updater !== undefined) return updater !== "extractive";
    const isNamed = [model, prompt, editTool, costShareCap].some((option) => option !== undefined);
    return isNamed || internalsOf(this.#session).budgets.policy?.notesWriter !== "log";
  }

  get #breakers(): Breakers {
    return internalsOf(this.#session).breakers;
  }

  #limits() {
    const { budget, limits } = internalsOf(this.#session).budgets;
    return notesLimits(budget.windowTokens, limits);
  }

  #unreadable(error: unknown): void {
    internalsOf(this.#session).emit({ type: "notes-unreadable", reason: reasonOf(error) });
  }
}

interface NewFacts {
  readonly facts: readonly KeyFact[];
  readonly throughSeq: number;
}

/** Outcomes that do not count as a failure of the model. */
const HELD: ReadonlySet<string> = new Set(["written", "unchanged", "dropped"]);

/** Reasons that say nothing of what the model can do: nothing was asked, or not now. */
const NO_FAULT: ReadonlySet<string> = new Set([
  "no-room",
  "aborted",
  "network",
  "throttled",
  "over-rate-limit",
  "overloaded",
]);

/** @throws `OptionError` where a template of the host's own cannot be one. */
function templateOf({ template }: NotesOptions): NotesTemplate {
  if (template === undefined) return NOTES_TEMPLATE;
  const read = readTemplate(template);
  if (read.ok) return read.template;
  const problem = read.problem === "no-headings" ? "has no heading" : "has one title twice";
  throw new OptionError({
    message: `The template of the notes ${problem}.`,
    hint: "Give each section its own heading with a line in italics below it, or leave the template out.",
  });
}

function holds(visible: readonly VisibleMessage[], text: string): boolean {
  return visible.some(({ blocks }) => blocks.some(({ block }) => blockText(block).includes(text)));
}
