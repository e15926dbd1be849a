/**
 * The data of a page about a replayed session: the type of its JSON, which the browser script reads, and how
 * it is assembled.
 *
 * Everything is written once. A *piece* is one block in one form. A call lists only the differences between its
 * pieces and those of the call before, so that a page grows with the conversation, not with the number of calls.
 */

import { LAYERS, type Layer, shorten } from "palimpsest/internal";
import type { ContextBudget } from "palimpsest/tokens";
import type { LayerName, Origin, Role } from "palimpsest/transcript";
import type { ReplayedSession } from "../measure/replay-json.ts";

/** Characters of a title, a model's name and the like: three lines on a screen. */
export const PAGE_NAME_CHARACTERS = 300;

/** Categories of a request's tokens, from the bottom of the picture to its top. */
export const PAGE_CATEGORIES = [
  "fixed",
  "inserted",
  "user",
  "assistant",
  "thinking",
  "calls",
  "results",
  "attachments",
] as const;

export type PageCategory = (typeof PAGE_CATEGORIES)[number];

/** Forms of a block: unchanged, cut to head and tail, replaced by a few words, or written by the library. */
export type PageForm = "original" | "preview" | "cleared" | "summary" | "inserted";

/** Source of a piece: an entry of the log, or a message that an edit inserted after it. */
export interface PageSource {
  readonly seq: number;
  readonly role: Role;
  readonly origin: Origin;
  readonly insertedBy?: number;
}

/** A text, whole or with its middle left out. */
export type PageText = string | { readonly head: string; readonly tail: string; readonly characters: number };

/** One block in one form. */
export interface PagePiece {
  /** Index in the page's sources. */
  readonly source: number;
  /** Index of the block in its message. */
  readonly block: number;
  /** Index in {@link PAGE_CATEGORIES}. */
  readonly category: number;
  readonly form: PageForm;
  /** Reference tokens, rounded: a call's `ratio` makes tokens of its model of them. */
  readonly tokens: number;
  readonly text: PageText;
  /** The block's type, where its category does not say it. */
  readonly type?: string;
  /** The tool that is called or that answered. */
  readonly tool?: string;
  /** The tool said that it failed. */
  readonly isError?: true;
}

/** Names that an edit hid; only the most important ones. */
export interface PageLoss {
  readonly messages: number;
  readonly blocks: number;
  readonly userMessages: number;
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly strings: readonly string[];
  /** Names that are left out here. */
  readonly more: number;
  readonly recovery: string;
}

/** Something that was shown otherwise from a call on. */
export interface PageEdit {
  /** Index of the call that was the first to see it. */
  readonly call: number;
  readonly layer: LayerName | "repair";
  /** Why it was made, in words. */
  readonly reason: string;
  /** A summary in place of older messages: `reason` also has the size, and how to have it otherwise. */
  readonly isCompaction?: true;
  readonly freedTokens: number;
  /** The edit's entry in the log, or that of the message that arrived too large. */
  readonly seq: number;
  /** Blocks that are shown otherwise. */
  readonly blocks?: number;
  /** Size of a block that arrived too large, in bytes. */
  readonly bytes?: number;
  /** Subject of a repair. */
  readonly subject?: string;
  readonly loss?: PageLoss;
}

/** Cost of a call, in input-token-equivalents, without the answer, which is the same in every window. */
export interface PageCallCost {
  /** In the window that was replayed. */
  readonly cost: number;
  /** Cost of the same call with the whole conversation so far in it. */
  readonly uncompactedCost?: number;
  /** Tokens of a request that were written again because the prompt cache held none of the last one. */
  readonly missedTokens?: number;
}

export interface PageCall extends Partial<PageCallCost> {
  readonly seq: number;
  /** Size of the request. */
  readonly tokens: number;
  /** Tokens by category, in the order of {@link PAGE_CATEGORIES}. */
  readonly byCategory: readonly number[];
  /** Tokens of the model per reference token. */
  readonly ratio: number;
  /**
   * The request's pieces: so many as at the beginning of the call before, so many as at its end, and
   * between the two runs of pieces as pairs of the first one and how many follow one another.
   */
  readonly pieces: readonly number[];
}

/** System prompt and tools of every request, if the recording has them. */
export interface PageFixed {
  readonly system?: PageText;
  /** The definitions of the tools, in JSON. */
  readonly tools?: PageText;
}

/** The recorder's result, call by call. */
export interface RecordedPage {
  readonly fixed: PageFixed;
  readonly sources: readonly PageSource[];
  readonly pieces: readonly PagePiece[];
  readonly edits: readonly PageEdit[];
  readonly calls: readonly PageCall[];
  /** The notes that the log alone would keep of the session, at its end; absent if they are empty. */
  readonly notes?: PageNotes;
}

export interface PageNotes {
  readonly text: string;
  readonly tokens: number;
}

/** Costs by a simulation of the prompt cache. */
export interface PageCosts {
  /** One per call, in their order. */
  readonly calls: readonly PageCallCost[];
  /** Input-token-equivalents that the edits of a layer saved, less what they cost. */
  readonly savedByLayer?: Readonly<Partial<Record<LayerName, number>>>;
}

/** A layer as the page names and draws it. */
interface PageLayer extends Pick<Layer, "description" | "shape"> {
  readonly name: PageEdit["layer"];
}

/** Repairs have a separate lane on the page, though they are not a layer. */
const REPAIRS: PageLayer = {
  name: "repair",
  description: "repaired what a provider would have refused",
  shape: "M-5,-3L-3,-5L0,-2L3,-5L5,-3L2,0L5,3L3,5L0,2L-3,5L-5,3L-2,0Z",
};

export interface PageData extends RecordedPage {
  /** Version of this shape. Only the page's own script reads it. */
  readonly version: 1;
  /** Version of the library that wrote the page. */
  readonly palimpsest: string;
  readonly title: string;
  readonly figures: ReplayedSession;
  /** All layers, in the order of their lanes. */
  readonly layers: readonly PageLayer[];
  /** The sizes that the picture shows as lines, in tokens. */
  readonly limits: {
    readonly windowTokens: number;
    readonly warningTokens: number;
    readonly autoCompactTokens: number;
    readonly blockingTokens: number;
  };
  readonly savedByLayer?: Readonly<Partial<Record<LayerName, number>>>;
}

interface PageInput {
  readonly title: string;
  readonly version: string;
  readonly figures: ReplayedSession;
  readonly budget: ContextBudget;
  readonly recorded: RecordedPage;
  readonly costs?: PageCosts | undefined;
}

export function assemblePage({ title, version, figures, budget, recorded, costs }: PageInput): PageData {
  const saved = costs?.savedByLayer;
  return {
    version: 1,
    palimpsest: version,
    title: shorten(title, PAGE_NAME_CHARACTERS),
    figures,
    layers: [...LAYERS.map(({ name, description, shape }) => ({ name, description, shape })), REPAIRS],
    limits: {
      windowTokens: budget.windowTokens,
      warningTokens: budget.warningTokens,
      autoCompactTokens: budget.autoCompactGateTokens,
      blockingTokens: budget.blockingTokens,
    },
    ...recorded,
    calls: recorded.calls.map((call, index) => ({ ...call, ...costs?.calls[index] })),
    savedByLayer: saved,
  };
}
