/**
 * Laws of a whole session, layers included, over random histories in windows that overflow all the time.
 */
import fc from "fast-check";
import { judgeAnthropicRequest, judgeOpenAIChatRequest } from "palimpsest-testing";
import { type HistoryStep, history } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { WindowTooSmallError } from "#base/errors.ts";
import { toWellFormed } from "#base/text/text.ts";
import { formatPointer } from "#compaction/shared/pointer.ts";
import { quote } from "#compaction/shared/quoted-lines.ts";
import type { PreparedCall } from "#session/options/prepared-call.ts";
import type { Session } from "#session/session.ts";
import { aSession, type TestSession } from "#test/helpers/sessions.ts";
import { planBudget } from "#tokens/budget/budget.ts";
import { blockText, type ContentBlock, type Message } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 30, long: 2_000, soak: 200_000 });
const WINDOWS = [2_000, 4_000, 16_000] as const;

interface Sent {
  readonly callSeq: number;
  readonly messages: readonly RequestMessage[];
}

/** Lives through a history as a host would, and checks every call. */
class Host {
  readonly sent: Sent[] = [];
  readonly appended: { readonly seq: number; readonly message: Message }[] = [];
  #session: Session;
  readonly #test: TestSession;
  readonly #windowTokens: number;
  /** The messages with which the next request must begin; none after an edit. */
  #prefix: readonly RequestMessage[] | undefined;
  /** The request that waits for an answer. */
  /** The last call did not fit into the window, so none was made. */
  #wasRefused = false;
  #waiting: readonly RequestMessage[] | undefined;

  constructor(test: TestSession, windowTokens: number) {
    this.#test = test;
    this.#session = test.session;
    this.#windowTokens = windowTokens;
  }

  get session(): Session {
    return this.#session;
  }

  async step(step: HistoryStep): Promise<void> {
    if (step.do === "append") {
      const [seq] = await this.#say(step.message);
      this.appended.push({ seq: seq!, message: step.message });
    } else if (step.do === "call") await this.#call();
    else if (step.do === "pin") await this.#pin(step.pick);
    else if (step.do === "undo") await this.#undo(step.pick);
    else if (step.do === "rewind") await this.#rewind(step.pick);
    else if (step.do === "reopen") await this.reopen();
  }

  /** An assistant's words answer the last call, if there is one; every other time usage is reported with them. */
  async #say(message: Message): Promise<readonly number[]> {
    const waiting = this.#waiting;
    if (message.role !== "assistant" || waiting === undefined) return this.#session.append(message);
    this.#waiting = undefined;
    const usage = {
      inputTokens: 20 + billed(waiting),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 40,
    };
    return this.#session.record({
      messages: [message],
      ...(this.appended.length % 2 === 0 ? { usage } : {}),
    });
  }

  async reopen(isClean = this.appended.length % 3 > 0): Promise<void> {
    // A session in which nothing was said was never stored.
    if (this.appended.length === 0) return;
    const before = this.#session.visible;
    const { tokens } = this.#session;
    // A process that was killed closes nothing.
    if (isClean) await this.#session.close();
    else await this.#test.kill();
    this.#session = await this.#test.reopen();
    expect(this.#session.visible).toEqual(before);
    // The log does not know of a model that was asked for and never called.
    if (!this.#wasRefused) expect(this.#session.tokens).toEqual(tokens);
    this.#wasRefused = false;
  }

  async #call(): Promise<void> {
    if (this.#session.visible.every((message) => message.blocks.length === 0)) return;
    let prepared: PreparedCall;
    try {
      prepared = await this.#session.prepare({ model: "claude-opus-4-5" });
    } catch (error) {
      expect(error).toBeInstanceOf(WindowTooSmallError);
      this.#prefix = undefined;
      this.#wasRefused = true;
      return;
    }
    this.#wasRefused = false;
    const { messages, edits, tokens, callSeq } = prepared;
    expect(tokens.padded).toBeLessThan(planBudget({ windowTokens: this.#windowTokens }).blockingTokens);
    expect(judgeAnthropicRequest({ messages: toAnthropic(messages) })).toEqual([]);
    expect(judgeOpenAIChatRequest({ messages: toOpenAIChat(messages) })).toEqual([]);
    if (edits.length === 0 && this.#prefix !== undefined) expectPrefix(this.#prefix, messages);
    await this.#expectPinned(messages);
    this.sent.push({ callSeq, messages });
    this.#prefix = messages;
    this.#waiting = messages;
  }

  async #pin(pick: number): Promise<void> {
    const chosen = this.appended[pick % Math.max(1, this.appended.length)];
    if (chosen === undefined) return;
    const place = pick % 2 === 0 ? { seq: chosen.seq } : { seq: chosen.seq, block: 0 };
    try {
      await this.#session.pin(place);
    } catch (error) {
      // It says nothing, is too long for this window, or a rewind left it behind.
      expect(["PIN_REFUSED", "ENTRY_NOT_FOUND"]).toContain((error as { code?: unknown }).code);
    }
  }

  /** Every pinned message is in the request to the letter, or marked as a quote. */
  async #expectPinned(messages: readonly RequestMessage[]): Promise<void> {
    if (this.#session.pins.length === 0) return;
    const shown = repaired(messages.flatMap(({ content }) => content.map(blockText)).join("\n"));
    for (const { seq, block } of this.#session.pins) {
      const pinned =
        this.appended.find((one) => one.seq === seq)?.message.content ?? (await this.#ownWords(seq));
      for (const one of block === undefined ? pinned : [pinned[block]!]) {
        // Of calls and results that are there twice, a repair leaves one.
        const isOnce = !("id" in one || "tool_use_id" in one) || this.#count(one) === 1;
        const text = repaired(one.type === "thinking" || !isOnce ? "" : blockText(one));
        if (text.trim() !== "" && !shown.includes(text)) expect(shown).toContain(quote(text));
      }
    }
  }

  #count(block: ContentBlock): number {
    const keyOf = (one: ContentBlock): unknown =>
      one.type === "tool_use" ? one.id : one.type === "tool_result" ? one.tool_use_id : one;
    return this.appended
      .flatMap(({ message }) => message.content)
      .filter((one) => one.type === block.type && keyOf(one) === keyOf(block)).length;
  }

  /** The words that the session repeated to pin them. */
  async #ownWords(seq: number): Promise<readonly ContentBlock[]> {
    const block = await this.#session.history.block(formatPointer({ seq, block: 0 }));
    expect(block).toMatchObject({ type: "text" });
    return [block!];
  }

  async #undo(pick: number): Promise<void> {
    const edits = this.#test.events.flatMap((event) => (event.type === "layer" ? [event.seq] : []));
    const chosen = edits[pick % Math.max(1, edits.length)];
    if (chosen === undefined) return;
    try {
      await this.#session.undo(chosen);
    } catch (error) {
      expect(error).toMatchObject({ code: "UNDO_REFUSED" });
      return;
    }
    this.#prefix = undefined;
  }

  async #rewind(pick: number): Promise<void> {
    const target = this.appended[pick % Math.max(1, this.appended.length)];
    if (target === undefined) return;
    await this.#session.rewind(target.seq);
    this.#prefix = undefined;
    this.#waiting = undefined;
  }
}

/** Half characters as they are shown, also where JSON spells them. */
const repaired = (text: string): string => toWellFormed(text).replace(/\\ud[89a-f][0-9a-f]{2}/gi, "\ufffd");

/** A provider's bill: a figure that the estimator does not know. */
const billed = (request: readonly RequestMessage[]): number => Math.ceil(JSON.stringify(request).length / 4);

const flat = (request: readonly RequestMessage[]): readonly string[] =>
  request.flatMap((message) => message.content.map((block) => JSON.stringify([message.role, block])));

function expectPrefix(sent: readonly RequestMessage[], next: readonly RequestMessage[]): void {
  expect(flat(next).slice(0, flat(sent).length)).toEqual(flat(sent));
}

describe("a session, over random histories in small windows", () => {
  it("sends only valid requests that fit, keeps what was sent, rebuilds every window, and loses nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...WINDOWS),
        history({ maxSteps: 30 }),
        async (windowTokens, steps) => {
          const host = new Host(await aSession({ windowTokens }), windowTokens);
          for (const step of [...steps, { do: "call" } as const]) await host.step(step);
          if (host.appended.length === 0) return;
          await host.reopen();
          for (const { callSeq, messages } of host.sent)
            expect(await host.session.windowAt(callSeq)).toEqual(messages);
          for (const { seq, message } of host.appended)
            for (const [block, original] of message.content.entries())
              expect(await host.session.history.block(formatPointer({ seq, block }))).toEqual(original);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
