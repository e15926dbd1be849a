/**
 * Recorded sessions of more than 500,000 tokens through a window of 200,000 on strict models, by the provider's own edits
 * alone: over HTTP with the vendors' SDKs, opened again on the way, forked and rewound at the end.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { FakeClock, type ScriptedProvider, scriptedProvider } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { findLiterals } from "#compaction/literals/literals.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { recordedAgent } from "../../../../test/helpers/recorded-agent.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

const WINDOW_TOKENS = 200_000;
const CHAIN = ["cc-entire-3compact", "cc-entire-2compact"];

const anthropic = ({ url }: ScriptedProvider): ModelClient =>
  anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
    model: "claude-opus-5-5",
    endpoint: "anthropic",
  });
const openai = ({ openAiUrl }: ScriptedProvider): ModelClient =>
  openaiResponsesModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), {
    model: "gpt-6-sol",
    endpoint: "openai",
  });

/** All in a soak; in the long run one of each vendor, which has each of the provider's edits. */
const RUNS: readonly {
  readonly name: string;
  readonly client: (provider: ScriptedProvider) => ModelClient;
  readonly providerEdits: NonNullable<WindowOptions["providerEdits"]>;
}[] = [
  { name: "Anthropic, clear and compact", client: anthropic, providerEdits: { clear: true, compact: true } },
  { name: "Anthropic, compact", client: anthropic, providerEdits: { compact: true } },
  { name: "OpenAI, compact", client: openai, providerEdits: { compact: true } },
  { name: "Anthropic, none", client: anthropic, providerEdits: {} },
  { name: "OpenAI, none", client: openai, providerEdits: {} },
];

describe.skipIf(!hasCorpus || !isLong)("recorded sessions by the provider's own edits", () => {
  it.each(bySize({ usual: [], long: [RUNS[0]!, RUNS[2]!], soak: RUNS }))("pass: $name", async ({
    name,
    client,
    providerEdits,
  }) => {
    const paths = corpusFiles("claude-code").filter(({ id }) => CHAIN.includes(id));
    const agent = await recordedAgent(
      paths.map(({ path }) => path),
      { thinks: true },
    );
    let session: AgentSession | undefined;
    const recall = new Recall();
    const provider = await scriptedProvider({
      script: (request) => {
        const answer = agent.answer(request);
        if (session !== undefined) recall.answered(session, answer);
        return answer;
      },
      windowTokens: WINDOW_TOKENS,
      summarize: ({ lastUserText }) =>
        `<summary>${"What was done so far. ".repeat(400)}${lastUserText}</summary>`,
    });
    const events: SessionEvent[] = [];
    const store = new InMemorySessionStore();
    const clock = new FakeClock(1_000);
    const open = (id: string) =>
      createPalimpsest({
        model: client(provider),
        store,
        clock,
        notes: "off",
        window: { windowTokens: WINDOW_TOKENS, policy: "faithful", providerEdits },
        observer: { onEvent: (event) => events.push(event) },
      }).session(id);
    try {
      session = await open("chain");
      const turn = { system: "You work on a repository.", tools: agent.tools };
      let turns = 0;
      for (let prompt = agent.nextPrompt(); prompt !== undefined; prompt = agent.nextPrompt()) {
        await session.turn(prompt, turn);
        if (++turns % 10 !== 0) continue;
        await session.close();
        session = await open("chain");
      }
      report(name, { provider, events, recall });
      const layers = events.flatMap((event) => (event.type === "layer" ? [event.layer] : []));
      const isAsked = providerEdits.clear === true || providerEdits.compact === true;
      if (isAsked) expect(new Set(layers)).toEqual(new Set(["provider-clear"]));
      expect(provider.violations).toEqual([]);
      expect(provider.overflows).toEqual([]);
      expect(provider.requests.filter(({ reasoning }) => reasoning.droppedCount > 0)).toEqual([]);

      const answers = provider.requests.length;
      const fork = await forkSession("chain", {
        store,
        clock,
        ids: randomIds,
        hasher: nodeHasher,
        sessionId: "fork",
      });
      await fork.close();
      const forked = await open("fork");
      await forked.turn("Go on in the fork.", turn);
      await forked.close();
      const edited = events.find((event) => event.type === "layer" && event.layer === "provider-clear");
      if (edited?.type === "layer") await session.rewind(edited.seq - 6);
      await session.turn("Go on from here.", turn);
      await session.close();
      expect(provider.requests.length).toBeGreaterThan(answers + 1);
      expect(provider.violations).toEqual([]);
      expect(provider.overflows).toEqual([]);
    } finally {
      await provider.close();
    }
  }, 600_000);
});

/** Answers between two looks at what the model can see: looking at all of it is slow. */
const LOOKS = 4;

const names = new WeakMap<object, readonly string[]>();

/** The names in a block, which is looked at again with each answer. */
function namesIn(block: object): readonly string[] {
  const known = names.get(block) ?? findLiterals(JSON.stringify(block));
  names.set(block, known);
  return known;
}

/** The share of names in the calls of tools that the model could see where it wrote them, of those it had seen before. */
class Recall {
  readonly #seen = new Set<string>();
  #answers = 0;
  #named = 0;
  #visible = 0;

  answered({ session }: AgentSession, answer: unknown): void {
    if (this.#answers++ % LOOKS !== 0) return;
    const { tracker, writer } = internalsOf(session);
    const visible = new Set<string>();
    for (const { blocks } of tracker.shown(writer.projection))
      for (const { block } of blocks) for (const name of namesIn(block)) visible.add(name);
    for (const name of findLiterals(JSON.stringify(answer)))
      if (this.#seen.has(name)) {
        this.#named++;
        if (visible.has(name)) this.#visible++;
      }
    for (const name of visible) this.#seen.add(name);
  }

  get share(): number {
    return this.#named === 0 ? 1 : this.#visible / this.#named;
  }
}

interface Reported {
  readonly provider: ScriptedProvider;
  readonly events: readonly SessionEvent[];
  readonly recall: Recall;
}

/** One line a run: sizes in tokens; the cost in input-token-equivalents, by the emulated cache. */
function report(name: string, { provider: { requests }, events, recall }: Reported): void {
  const answers = requests.filter(({ purpose }) => purpose === "answer");
  const sum = (figure: (request: (typeof answers)[number]) => number): number =>
    answers.reduce((total, request) => total + figure(request), 0);
  const cost = sum(({ cache }) => cache.plainTokens + 1.25 * cache.writtenTokens + 0.1 * cache.readTokens);
  const summaries = sum(({ compaction }) =>
    compaction === undefined ? 0 : compaction.promptTokens * 0.1 + compaction.summaryTokens * 5,
  );
  const layers = new Map<string, number>();
  for (const event of events)
    if (event.type === "layer")
      layers.set(
        `${event.layer} ${event.edit.reason}`,
        (layers.get(`${event.layer} ${event.edit.reason}`) ?? 0) + 1,
      );
  console.log(
    `${name}: ${answers.length} requests, ${requests.filter(({ status }) => status !== 200).length} refused, ` +
      `largest prompt ${Math.max(...answers.map(({ promptTokens }) => promptTokens))}, cost ${Math.round((cost + summaries) / 1_000)}K, names in view ${(recall.share * 100).toFixed(1)} %, ` +
      [...layers].map(([layer, count]) => `${layer} ×${count}`).join(", "),
  );
}
