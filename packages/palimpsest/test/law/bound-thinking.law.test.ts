/**
 * Thinking that a model binds is sent back to it behind exactly what it saw, or not at all: over random histories in which
 * the model changes from call to call, edits are undone, the session goes back, and is opened again in another window.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import type { PolicyName } from "#compaction/planner/cost-policy.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 15, long: 300, soak: 10_000 });
const BINDING = ["claude-opus-5-5", "claude-fable-5-1"] as const;
const MODELS = [...BINDING, "claude-opus-4-5", "gpt-4.1"] as const;
const POLICIES: readonly PolicyName[] = ["economy", "balanced", "faithful", "classic"];

interface Round {
  readonly model: string;
  readonly thinks: boolean;
  readonly lines: number;
}
const aRound = fc.record({
  do: fc.constant("round" as const),
  model: fc.constantFrom(...MODELS),
  thinks: fc.boolean(),
  lines: fc.integer({ min: 1, max: 150 }),
});
const aStep = fc.oneof(
  { weight: 7, arbitrary: aRound },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("undo" as const), pick: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rewind" as const), pick: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("reopen" as const),
      windowTokens: fc.constantFrom(8_000, 16_000, 32_000),
    }),
  },
);

/** Every block of a request, each with the blocks before it as one text. */
const withPrefixes = (messages: readonly RequestMessage[]) => {
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const texts = blocks.map((one) => JSON.stringify(one));
  return blocks.map(({ block }, index) => ({ block, before: texts.slice(0, index).join("\n") }));
};

class Life {
  readonly #seen = new Map<string, { readonly model: string; readonly request: string }>();
  #rounds = 0;

  async round(session: Session, { model, thinks, lines }: Round): Promise<void> {
    const id = ++this.#rounds;
    await session.append(user(`Read part ${id}.`));
    const thought: readonly ContentBlock[] = thinks
      ? [{ type: "thinking", thinking: `Thought ${id}.`, signature: `s${id}` }]
      : [];
    await this.#answer(session, model, [...thought, call(`c${id}`, "Read", { file_path: `/${id % 9}.ts` })]);
    await session.append(user(result(`c${id}`, `line of part ${id} that is read\n`.repeat(lines))));
    await this.#answer(session, model, [{ type: "text", text: `Part ${id} is read.` }]);
  }

  async #answer(session: Session, model: string, content: readonly ContentBlock[]): Promise<void> {
    const { messages } = await session.prepare({ model });
    for (const { block, before } of withPrefixes(messages)) {
      const seen = block.type === "thinking" ? this.#seen.get(block.signature ?? "") : undefined;
      const isBound = seen?.model === model && (BINDING as readonly string[]).includes(model);
      if (isBound) expect(before).toBe(seen.request);
    }
    const request = messages
      .flatMap((message) => message.content.map((block) => JSON.stringify({ role: message.role, block })))
      .join("\n");
    for (const block of content)
      if (block.type === "thinking") this.#seen.set(block.signature ?? "", { model, request });
    await session.record({ messages: [assistant(`r${this.#seen.size}-${request.length}`, ...content)] });
  }
}

it("is sent behind what it saw, or not at all", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...POLICIES),
      fc.array(aStep, { minLength: 12, maxLength: 50 }),
      async (policy, steps) => {
        const { options, events } = await aSession();
        const life = new Life();
        let session = await createSession({ ...options, window: { windowTokens: 16_000, policy } });
        await session.append(user("Begin."));
        for (const step of steps)
          try {
            if (step.do === "round") await life.round(session, step);
            else if (step.do === "reopen") {
              await session.close();
              const window = { windowTokens: step.windowTokens, policy };
              session = await openSession(session.id, { ...options, window });
            } else if (step.do === "undo") {
              const edits = events.flatMap((event) => (event.type === "layer" ? [event.seq] : []));
              if (edits.length > 0)
                await session.undo(edits.at(-1 - (step.pick % Math.min(3, edits.length)))!);
            } else await session.rewind(session.visible.at(step.pick % session.visible.length)!.seq);
          } catch (error) {
            if (!(error instanceof PalimpsestError)) throw error;
            expect(["UNDO_REFUSED", "WINDOW_TOO_SMALL"]).toContain(error.code);
          }
        await session.close();
      },
    ),
    { numRuns: RUNS },
  );
});
