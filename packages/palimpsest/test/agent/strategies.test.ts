/**
 * Which strategy ran in which class of session, from real runs over HTTP with the vendors' SDKs: the table of
 * docs/reference/compaction-strategies.md. With PALIMPSEST_WRITE=1 the table is written instead of compared.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import {
  callTool,
  FakeClock,
  type Fault,
  type ScriptedProvider,
  type ScriptStep,
  say,
  scriptedProvider,
  think,
} from "palimpsest-testing";
import { expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { PalimpsestError } from "#base/errors.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { PIXEL } from "#test/importers/shared/pixel.ts";
import type { Message } from "#transcript/blocks.ts";
import { GOOD_SUMMARY, isSummaryRequest } from "../../../../test/helpers/recorded-agent.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";
import { NOTES_PATCHES } from "./fake-model.ts";
import { docsTool, wordsOf } from "./stage.ts";

const DOCUMENT = fileURLToPath(
  new URL("../../../../docs/reference/compaction-strategies.md", import.meta.url),
);

const anthropic =
  (model: string) =>
  ({ url }: ScriptedProvider): ModelClient =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), { model });
const openai = (url: string): OpenAI => new OpenAI({ baseURL: url, apiKey: "key", maxRetries: 0 });

const CLASSES: Readonly<Record<string, (provider: ScriptedProvider) => ModelClient>> = {
  "Messages, permissive": anthropic("claude-opus-4-6"),
  "Messages, strict": anthropic("claude-opus-5-5"),
  "Chat Completions, permissive": ({ openAiUrl }) => openaiChatModel(openai(openAiUrl), { model: "gpt-4.1" }),
  "Responses, strict": ({ openAiUrl }) => openaiResponsesModel(openai(openAiUrl), { model: "gpt-5.6-sol" }),
};

/** A session and what a trigger needs to bring about what it is for. */
interface Scene {
  readonly session: AgentSession;
  readonly clock: FakeClock;
  readonly provider: ScriptedProvider;
  /** Behaviour of the provider at the next call for an answer. */
  failNext(step: Fault): void;
  /** A turn in which the model makes this many calls of tools. */
  work(calls: number): Promise<void>;
  /** A turn in which it makes none. */
  hear(messages: Message | readonly Message[]): Promise<void>;
  /** Nothing that happened before counts. */
  forget(): void;
}

interface Trigger {
  readonly name: string;
  readonly window?: WindowOptions;
  readonly summary?: ScriptStep;
  /** Edits for another reason are not what it is about. */
  readonly reason?: string;
  /** The tool that the model calls. */
  readonly tool?: string;
  /** True if notes are kept, at whatever cost, and waited for after each turn. */
  readonly hasNotes?: true;
  readonly happen: (scene: Scene) => Promise<unknown>;
}

/** Some ten of them fill the window. */
const RESULT_TOKENS = 1_400;
const ONLY_SUMMARIES: WindowOptions = { policy: "faithful", disabledLayers: ["offload", "microcompact"] };
const eventNames = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const lastSeq = ({ session }: AgentSession): number => session.visible[9]!.seq;

const TRIGGERS: readonly Trigger[] = [
  {
    name: "old results above the gates",
    window: { policy: "faithful" },
    tool: "Read",
    happen: ({ work }) => work(24),
  },
  { name: "the window is full, the cache warm", happen: ({ work }) => work(24) },
  {
    name: "the window is full, the notes are up to date",
    hasNotes: true,
    happen: async ({ work, session, forget }) => {
      await work(9);
      await session.notesSettled();
      forget();
      await work(14);
    },
  },
  {
    name: "the window is full, the cache cold",
    happen: async ({ work, clock, hear, forget }) => {
      await work(11);
      forget();
      clock.advance(4 * 3_600_000);
      await hear(Array.from({ length: 8 }, () => eventNames(wordsOf(1_500))));
    },
  },
  {
    name: "the span has paid for a summary",
    window: { windowTokens: 128_000, policy: "economy", disabledLayers: ["offload", "microcompact"] },
    reason: "rent",
    happen: ({ work }) => work(60),
  },
  {
    name: "the provider refused the prompt",
    happen: async ({ work, failNext, forget }) => {
      await work(8);
      forget();
      failNext({ fault: "prompt-too-long", windowTokens: 12_000 });
      await work(0);
    },
  },
  {
    name: "by hand",
    happen: async ({ work, session, forget }) => {
      await work(8);
      forget();
      await session.compact();
    },
  },
  {
    name: "by hand, the notes are up to date",
    hasNotes: true,
    happen: async ({ work, session, forget }) => {
      await work(9);
      await session.notesSettled();
      forget();
      await session.compact();
    },
  },
  {
    name: "by hand, from an entry on",
    happen: async ({ work, session, forget }) => {
      await work(8);
      forget();
      await session.compact({ from: lastSeq(session) });
    },
  },
  {
    name: "by hand, up to an entry",
    happen: async ({ work, session, forget }) => {
      await work(8);
      forget();
      await session.compact({ upTo: lastSeq(session) });
    },
  },
  {
    name: "the provider refused the media",
    happen: async ({ work, hear, failNext, forget }) => {
      const picture: Message = {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
          { type: "text", text: "Look." },
        ],
      };
      await hear(picture);
      await work(3);
      forget();
      failNext({ fault: "body-too-large" });
      await hear(picture);
    },
  },
  {
    name: "the provider refused the thinking",
    happen: async ({ work, failNext, forget }) => {
      await work(8);
      forget();
      const message =
        "Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
      failNext({ fault: "bad-request", message });
      await work(0);
    },
  },
  {
    name: "the window is full, three summaries failed before",
    summary: say("No."),
    happen: async ({ work, forget }) => {
      for (let times = 0; times < 3; times++) await work(24);
      forget();
      await work(24);
    },
  },
  {
    name: "the window is full, there is no model",
    happen: async ({ session }) => {
      for (let index = 0; index < 16; index++)
        await session.append([
          eventNames(`Question ${index}. ${wordsOf(900)}`),
          { role: "assistant", content: [{ type: "text", text: `Answer ${index}. ${wordsOf(900)}` }] },
        ]);
      await session.append(eventNames("And now?"));
      await session.session.prepare({ model: session.model.model ?? "" });
    },
  },
];

async function strategyOf(name: string, trigger: Trigger): Promise<string> {
  let left = 0;
  let next: Fault | undefined;
  const thinks = !name.startsWith("Chat");
  const windowTokens = trigger.window?.windowTokens ?? 32_000;
  const provider = await scriptedProvider({
    windowTokens,
    faults: ({ purpose }) => {
      const fault = purpose === "answer" ? next : undefined;
      if (fault !== undefined) next = undefined;
      return fault;
    },
    script: (request) => {
      if (isSummaryRequest(request)) return trigger.summary ?? GOOD_SUMMARY;
      if (request.lastUserText.includes("Bring the session's notes up to date")) return NOTES_PATCHES;
      const thought = thinks ? [think(`Thought ${request.index}.`)] : [];
      if (left-- <= 0) return [...thought, say("Done.")];
      return [
        ...thought,
        callTool(trigger.tool ?? "mcp__docs__get", { path: `src/file${request.index}.ts` }),
      ];
    },
  });
  const clock = new FakeClock();
  const events: SessionEvent[] = [];
  const palimpsest = createPalimpsest({
    model: CLASSES[name]!(provider),
    store: new InMemorySessionStore(),
    clock,
    notes: trigger.hasNotes === true ? { costShareCap: "off" } : "off",
    window: { windowTokens, ...(trigger.window ?? ONLY_SUMMARIES) },
    observer: { onEvent: (event) => events.push(event) },
  });
  try {
    const session = await palimpsest.session("s");
    const tools = ["mcp__docs__get", "Read"].map((tool) => ({ ...docsTool(RESULT_TOKENS), name: tool }));
    const scene: Scene = {
      session,
      clock,
      provider,
      failNext: (step) => {
        next = step;
      },
      work: async (calls) => {
        left = calls;
        await session.turn("Go on.", { tools });
      },
      hear: async (messages) => {
        await session.turn(messages, { tools });
      },
      forget: () => events.splice(0),
    };
    const error: unknown = await trigger.happen(scene).then(
      () => undefined,
      (problem: unknown) => problem,
    );
    expect(provider.violations, `${name}, ${trigger.name}`).toEqual([]);
    if (error === undefined) return inWords(events, trigger.reason);
    return error instanceof PalimpsestError ? `refused: \`${error.code}\`` : Promise.reject(error);
  } finally {
    await palimpsest.close();
    await provider.close();
  }
}

/** The steps up to the first edit, in the words of the document. */
function inWords(events: readonly SessionEvent[], reason: string | undefined): string {
  const words: string[] = [];
  for (const event of events) {
    if (event.type === "summary-call")
      words.push(`${event.form} call${event.outcome === "written" ? "" : ` (${event.outcome})`}`);
    if (event.type !== "layer") continue;
    if (reason !== undefined && event.edit.reason !== reason) return `nothing for ${reason}`;
    words.push(`**${event.layer}**`);
    break;
  }
  return words.length === 0 ? "nothing" : words.join(", ");
}

type Row = readonly [trigger: string, ...cells: (string | undefined)[]];

/** Rows of the default run, in which each class of session comes once; other rows take longer. */
const USUAL_ROWS = [0, 3, 6, 9];

/** The whole table; in the default run one class of each of those triggers, another one each time. */
async function rows(isWhole: boolean): Promise<readonly Row[]> {
  const names = Object.keys(CLASSES);
  const made: Row[] = [];
  for (const [index, trigger] of TRIGGERS.entries()) {
    const cells: (string | undefined)[] = [];
    for (const [column, name] of names.entries())
      cells.push(
        isWhole || (USUAL_ROWS.includes(index) && index % names.length === column)
          ? await strategyOf(name, trigger)
          : undefined,
      );
    made.push([trigger.name, ...cells]);
  }
  return made;
}

const TABLE = /(?<=<!-- table -->\n)[\s\S]*?(?=\n<!-- end of the table -->)/;
const isWritten = process.env["PALIMPSEST_WRITE"] === "1";

it("is what the table of the document says", async () => {
  const made = await rows(isWritten || isLong);
  const document = readFileSync(DOCUMENT, "utf8");
  if (isWritten) {
    const head = [
      ["Trigger", ...Object.keys(CLASSES)],
      ["---", "---", "---", "---", "---"],
    ];
    const table = [...head, ...made].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
    writeFileSync(
      DOCUMENT,
      document.replace(TABLE, () => table),
    );
    return;
  }
  const lines = (TABLE.exec(document)?.[0] ?? "").split("\n").slice(2);
  const texts = lines.map((line) => line.slice(2, -2).split(" | "));
  expect(texts.map(([trigger]) => trigger)).toEqual(TRIGGERS.map(({ name }) => name));
  for (const [index, row] of made.entries())
    for (const [column, cell] of row.entries())
      if (cell !== undefined) expect(texts[index]?.[column], `${row[0]}, ${column}`).toBe(cell);
});
