/**
 * Reads sealed reasoning where it returns, and decides what becomes of it: while the prompt is walked block
 * by block, each seal is compared with what really stands before it.
 *
 * The rules are those that Anthropic documents as preserved thinking: tools, system prompt and everything said
 * before must be what it was; cache marks and earlier reasoning do not belong to that. The reasoning that is
 * kept must be an unbroken run of what was made, so each piece also names the one before it.
 */
import { bindsReasoning } from "palimpsest/tokens";
import type { ReadingRules } from "./dialect.ts";
import { digestOf, PrefixWalk } from "./prompt.ts";
import { openSeal, type SealedPrefix, sealReasoning } from "./reasoning-seal.ts";

/** The difference from the moment at which a piece of reasoning was made. */
export type PrefixDifference = "system" | "tools" | "missing-content" | "messages" | "missing-reasoning";

/** The fate of one piece of reasoning. */
export type ReasoningVerdict =
  | { readonly kind: "kept" }
  /** No one here made this, or it was changed. */
  | { readonly kind: "forged" }
  /** Made by a model whose reasoning this one does not read. */
  | { readonly kind: "other-model" }
  | { readonly kind: "other-prefix"; readonly difference: PrefixDifference };

interface ReasoningReaderOptions {
  readonly rules: ReadingRules;
  readonly model: string;
  /** Everything that belongs to each, in one text. */
  readonly toolsText: string;
  readonly systemText: string;
  /** Beginning of the vendor's seals. */
  readonly sealPrefix: string;
}

/** Walks one prompt, and then the answer to it. */
export class ReasoningReader {
  readonly #options: ReasoningReaderOptions;
  readonly #tools: string;
  readonly #system: string;
  readonly #messages = new PrefixWalk();
  #previous = "";

  constructor(options: ReasoningReaderOptions) {
    this.#options = options;
    this.#tools = digestOf(options.toolsText);
    this.#system = digestOf(options.systemText);
  }

  /** A block that is not reasoning. */
  addBlock(text: string): void {
    this.#messages.add(text);
  }

  /** A summary stands here, in place of everything before it. */
  addSummary(text: string): void {
    this.#messages.restart();
    this.#previous = "";
    this.#messages.add(text);
  }

  /** Judges reasoning that stands here; what is kept counts as read. */
  read(seal: string, content: string): ReasoningVerdict {
    const { rules, model, sealPrefix } = this.#options;
    const sealed = openSeal(seal, rules.key, sealPrefix);
    if (sealed === undefined && rules.acceptsForeignReasoning) return { kind: "kept" };
    if (sealed === undefined || sealed.content !== digestOf(content)) return { kind: "forged" };
    if (sealed.model !== model && bindsReasoning(sealed.model)) return { kind: "other-model" };
    const difference =
      rules.bindsThinking && sealed.model === model ? this.#differenceFrom(sealed) : undefined;
    if (difference !== undefined) return { kind: "other-prefix", difference };
    this.#previous = digestOf(seal);
    return { kind: "kept" };
  }

  /** Seals reasoning that the model makes here. */
  seal(content: string): string {
    const { rules, model, sealPrefix } = this.#options;
    const sealed: SealedPrefix = {
      model,
      tools: this.#tools,
      system: this.#system,
      messages: this.#messages.digest(),
      blockCount: this.#messages.count,
      previous: this.#previous,
      content: digestOf(content),
    };
    const seal = sealReasoning(sealed, rules.key, sealPrefix);
    this.#previous = digestOf(seal);
    return seal;
  }

  #differenceFrom(sealed: SealedPrefix): PrefixDifference | undefined {
    if (sealed.system !== this.#system) return "system";
    if (sealed.tools !== this.#tools) return "tools";
    if (sealed.messages !== this.#messages.digest())
      return this.#messages.count < sealed.blockCount ? "missing-content" : "messages";
    return this.#previous !== "" && sealed.previous !== this.#previous ? "missing-reasoning" : undefined;
  }
}
