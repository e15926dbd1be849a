/**
 * The literals of a block, each once, with what the parts of a compaction ask about them: the ledger, the loss report,
 * and what is visible. Blocks never change, so each text is looked through once while its block is in the window.
 */
import type { Steps } from "../../base/steps.ts";
import { blockText, type ContentBlock } from "../../transcript/blocks.ts";
import { type LiteralKind, visitInSteps } from "./literals.ts";

/** A literal of one text. */
export interface TextLiteral {
  readonly text: string;
  /** Where it comes first. */
  readonly kind: LiteralKind;
  /** True if one of its lines defines something. */
  isDefined: boolean;
}

/** The literals of one block, each once, in the order of their first places. */
interface BlockLiterals {
  readonly all: readonly TextLiteral[];
  /** Times that each is a name: an identifier, a path, an address or a hash. In the order in which they first are. */
  readonly names: ReadonlyMap<string, number>;
}

const NAMES: ReadonlySet<LiteralKind> = new Set(["identifier", "path", "url", "hash"]);
/** True for literals that name something. @internal */
export const isName = (kind: LiteralKind): boolean => NAMES.has(kind);

/** Literals of longer texts are not kept. */
const KEPT_CHARACTERS = 64_000;

const known = new WeakMap<ContentBlock, BlockLiterals>();

/** The literals of a text, each once, in the order of their first places, in steps. @internal */
export function* textLiteralsInSteps(text: string): Steps<readonly TextLiteral[]> {
  const found = new Collected();
  yield* visitInSteps(text, found.visit);
  return [...found.all.values()];
}

/** The literals of a block's text up to some length, in steps. @internal */
export function* literalsInSteps(block: ContentBlock, characters: number): Steps<BlockLiterals> {
  const before = known.get(block);
  if (before !== undefined) return before;
  const whole = blockText(block);
  const text = whole.length > characters ? whole.slice(0, characters) : whole;
  const found = new Collected();
  yield* visitInSteps(text, found.visit);
  const literals = { all: [...found.all.values()], names: found.names };
  if (whole.length <= KEPT_CHARACTERS) known.set(block, literals);
  return literals;
}

/** What is no longer shown need not be known: its literals are found again if it is. */
export function forgetLiterals(block: ContentBlock): void {
  known.delete(block);
}

class Collected {
  readonly all = new Map<string, TextLiteral>();
  readonly names = new Map<string, number>();

  readonly visit = (text: string, kind: LiteralKind, isOnDefinitionLine: boolean): void => {
    const before = this.all.get(text);
    const literal = before ?? { text, kind, isDefined: false };
    if (before === undefined) this.all.set(text, literal);
    if (isOnDefinitionLine) literal.isDefined = true;
    if (isName(kind)) this.names.set(text, (this.names.get(text) ?? 0) + 1);
  };
}
