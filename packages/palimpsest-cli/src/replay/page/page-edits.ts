/**
 * The edits of a page, made from the events of a session. Of a loss report, only the most important names are kept.
 */

import type { SessionEvent } from "palimpsest";
import { reasonWords, shorten } from "palimpsest/internal";
import type { LossReport } from "palimpsest/transcript";
import { PAGE_NAME_CHARACTERS, type PageEdit, type PageLoss } from "./page-data.ts";

/** Names of each kind that are kept of a loss report: the most important come first. */
const LOSS_NAMES_COUNT = 24;
/** Characters of one of them: a long path or command. */
const LOSS_NAME_CHARACTERS = 160;

/** Converts an event to an edit of the page; `undefined` if the event changes nothing visible. `call` sees it first. */
export function pageEdit(event: SessionEvent, call: number): PageEdit | undefined {
  if (event.type === "layer") {
    const { seq, layer, edit, why } = event;
    const { freedTokens, effect, loss } = edit;
    const blocks = effect.forms?.length ?? 0;
    return {
      call,
      layer,
      reason: shorten(why, PAGE_NAME_CHARACTERS),
      ...(edit.isBoundary === true ? { isCompaction: true } : {}),
      freedTokens: Math.round(freedTokens),
      seq,
      ...(blocks === 0 ? {} : { blocks }),
      loss: loss && pageLoss(loss),
    };
  }
  if (event.type === "offloaded") {
    const { seq, bytes, freedTokens } = event;
    return { call, layer: "offload", reason: reasonWords("arrival"), freedTokens, seq, blocks: 1, bytes };
  }
  if (event.type === "repair") {
    const { seq, reason } = event;
    const subject = shorten(event.subject, PAGE_NAME_CHARACTERS);
    return { call, layer: "repair", reason, freedTokens: 0, seq, subject };
  }
  return undefined;
}

function pageLoss({ messages, blocks, userMessages, recovery, ...names }: LossReport): PageLoss {
  const listed = [names.files, names.commands, names.strings];
  const [files, commands, strings] = listed.map((list) =>
    list.slice(0, LOSS_NAMES_COUNT).map((name) => shorten(name, LOSS_NAME_CHARACTERS)),
  );
  const more = listed.reduce((sum, list) => sum + Math.max(0, list.length - LOSS_NAMES_COUNT), 0);
  return {
    messages,
    blocks,
    userMessages,
    files: files!,
    commands: commands!,
    strings: strings!,
    more,
    recovery,
  };
}
