/** Events of the library in words: what happened to the window, the notes, the memories and the tasks, and why. */
import type { SessionEvent } from "palimpsest";
import { formatBytes, formatMs, formatQuantity, formatTokens } from "../../terminal/figures.ts";
import { safeLine } from "../base/safe-text.ts";
import { messageOf } from "../base/values.ts";

/** The look of a line: `mark` is a compaction, `dim` is the background. */
export type Tone = "mark" | "dim" | "warn" | "error";

/** Lines about one event. The first is the headline. */
interface EventWords {
  readonly tone: Tone;
  readonly lines: readonly string[];
}

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Type }>;

/** Layers that rewrite the conversation; the others only shorten results. */
const COMPACTIONS: ReadonlyMap<string, string> = new Map([
  ["full", "Compacted with a summary by the model"],
  ["session-memory", "Compacted with the notes of the session"],
  ["extractive", "Compacted with a summary from the log"],
  ["collapse", "Old rounds are shown as one line each"],
  ["peel", "The newest blocks are shown as previews"],
  ["provider-clear", "The provider made room on its side"],
]);

const SMALL_EDITS: ReadonlyMap<string, string> = new Map([
  ["offload", "Results stored beside the session"],
  ["microcompact", "Old results cleared"],
]);

/** The words of an event; `undefined` for those that are not worth a line. */
export function eventWords(event: SessionEvent): EventWords | undefined {
  switch (event.type) {
    case "layer":
      return layerWords(event);
    case "offloaded":
      return dim(
        `A text of ${formatBytes(event.bytes)} is stored beside the session; the model sees a preview.`,
      );
    case "summary-started":
      return startedWords(event);
    case "summary-call":
      return summaryWords(event);
    case "summary-refused":
      return warn(`The summary of ${event.model} was not used: ${event.reason}`);
    case "compaction-vetoed":
      return warn(`A hook stopped the compaction: ${event.veto}`);
    case "useless-compaction":
      return event.isThrashing
        ? warn(
            `Compactions no longer help: this one freed ${formatTokens(event.freedTokens)} tokens. /context shows what fills the window.`,
          )
        : undefined;
    case "layer-failed":
      return warn(`The layer ${event.layer} failed and is passed over: ${event.reason}`);
    case "restored":
      return dim(
        `Shown again: ${event.kind} ${event.key} (${formatTokens(event.tokens)} tokens${event.isCut ? ", a part" : ""})`,
      );
    case "notes-update":
      return notesWords(event);
    case "notes-unreadable":
      return warn(`The notes cannot be used: ${event.reason}`);
    case "memory-recalled":
      return event.paths.length === 0 ? undefined : dim(`Recalled: ${event.paths.join(", ")}`);
    case "memory-extracted":
      return memoryWords(event);
    case "memory-failed":
    case "memory-index-cut":
      return warn(`Memories: ${event.reason}`);
    case "model-failed":
      return event.isRecovered
        ? warn(`The provider refused the request (${event.failure.kind}); it is sent in another form.`)
        : undefined;
    case "hook-failed":
      return warn(`The hook ${event.hook} failed: ${messageOf(event.error)}`);
    case "task":
      return taskWords(event);
    case "tasks-failed":
      return warn(`Tasks: ${event.reason}`);
    case "background":
      if (event.outcome === "failed") return warn(`${event.job}: ${event.detail}`);
      // A clean-up that found nothing says so in noughts.
      return /[1-9]/.test(event.detail) ? dim(`${event.job}: ${event.detail}`) : undefined;
    case "cache-miss":
      return event.miss.isExpected
        ? undefined
        : dim("The provider's prompt cache was missed: more of the conversation was billed again.");
    case "damage":
      return warn(`A part of the stored session cannot be read and is passed over: ${event.damage.reason}`);
    case "setting-unusable":
      return warn(`${event.setting}: ${event.detail}`);
    case "repair":
      return dim(`The history was repaired: ${event.reason} (${event.subject})`);
    case "forked":
      return dim(`Forked from ${event.parentId}, with ${formatQuantity(event.entries, "entry", "entries")}.`);
    default:
      return undefined;
  }
}

const dim = (...lines: readonly string[]): EventWords => ({ tone: "dim", lines: lines.map(safeLine) });
const warn = (...lines: readonly string[]): EventWords => ({ tone: "warn", lines: lines.map(safeLine) });

function layerWords({ layer, edit, why }: EventOf<"layer">): EventWords {
  const freed = `${formatTokens(edit.freedTokens)} tokens less`;
  const title = COMPACTIONS.get(layer);
  if (title === undefined)
    return dim(`${SMALL_EDITS.get(layer) ?? layer}: ${freed} (${why.replaceAll("`", "")})`);
  const { loss } = edit;
  return {
    tone: "mark",
    lines: [
      `${title}: ${freed}`,
      why.replaceAll("`", ""),
      ...(loss === undefined ? [] : [lossWords(loss)]),
      ...(loss === undefined || loss.recovery === ""
        ? []
        : ["Nothing is lost: the model finds all of it with history_search; /undo takes it back."]),
    ].map(safeLine),
  };
}

const NAMED = 3;

function lossWords(loss: NonNullable<EventOf<"layer">["edit"]["loss"]>): string {
  const named = (list: readonly string[], noun: string): readonly string[] =>
    list.length === 0
      ? []
      : [
          `${formatQuantity(list.length, noun)} (${list.slice(0, NAMED).join(", ")}${list.length > NAMED ? " …" : ""})`,
        ];
  return `No longer in view: ${[
    formatQuantity(loss.messages, "message"),
    ...(loss.userMessages === 0 ? [] : [`${loss.userMessages} of yours`]),
    ...named(loss.files, "file"),
    ...named(loss.commands, "command"),
  ].join(", ")}.`;
}

/** The work that a compaction waits for, as it begins. */
function startedWords({ model, tokens, isBackground, attempt }: EventOf<"summary-started">): EventWords {
  const asked = `asking ${model} for a summary of ${formatTokens(tokens)} tokens`;
  if (attempt > 0) return dim(`It was too long: asking ${model} for a summary of less of it`);
  if (isBackground) return dim(`In the background: ${asked}`);
  return dim(`Compacting: ${asked}. Esc leaves the window as it is.`);
}

function summaryWords({ outcome, model, tookMs, form, trigger }: EventOf<"summary-call">): EventWords {
  const took = formatMs(tookMs);
  const asked = trigger === "manual" ? " on request" : "";
  if (outcome === "written") return dim(`Summary written${asked} by ${model} in ${took} (${form}).`);
  return warn(`The summary by ${model} failed: ${SUMMARY_PROBLEMS.get(outcome) ?? outcome} (${took}).`);
}

/** Answers that are not a summary, in words. Other outcomes are kinds of failure, which the documents list. */
const SUMMARY_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["called-a-tool", "it called a tool instead"],
  ["cut-off", "its answer was cut off"],
  ["refused", "it refused"],
  ["empty", "its answer was empty"],
  ["not-a-summary", "its answer is not a summary"],
]);

function notesWords({ outcome, changed, reason, tookMs }: EventOf<"notes-update">): EventWords | undefined {
  if (outcome === "failed") return warn(`The notes could not be updated: ${reason ?? "no reason given"}`);
  if (changed.length === 0) return undefined;
  return dim(`Notes updated in ${formatMs(tookMs)}: ${changed.join(", ")}`);
}

function memoryWords({ receipts, by }: EventOf<"memory-extracted">): EventWords | undefined {
  const kept = receipts.filter(({ status }) => status !== "rejected");
  if (kept.length === 0) return undefined;
  return dim(
    ...kept.map(({ status, path, superseded }) => {
      const instead = superseded.length === 0 ? "" : `, instead of ${superseded.join(", ")}`;
      return `Memory ${status}: ${path ?? ""}${instead} (${by})`;
    }),
  );
}

function taskWords({ what, id, title, status }: EventOf<"task">): EventWords {
  const name = `${id} ${title}`;
  if (what === "waiting")
    return warn(`Task ${name} waits for input. /tasks ${id}, /tasks send ${id} TEXT, /tasks stop ${id}`);
  if (what === "started") return dim(`Task started: ${name}`);
  if (what === "ended")
    return status === "failed" ? warn(`Task failed: ${name}`) : dim(`Task ${status}: ${name}`);
  return dim(`Task ${name} says something.`);
}
