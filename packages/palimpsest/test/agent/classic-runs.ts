import type { FakeClock } from "palimpsest-testing";
import { expect } from "vitest";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { type Stage, type StageOptions, setTheStage, wordsOf } from "#test/agent/stage.ts";
import { aSession } from "#test/helpers/sessions.ts";
import { estimateBlock } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";

export const MODEL = "claude-sonnet-4-5";
export const WINDOW: WindowOptions = { windowTokens: 200_000, policy: "classic" };

/** Distinct lines, about as many tokens as are asked for. */
export function lines(tokens: number, tag: string): string {
  let text = "";
  for (let line = 0; text.length < tokens * 2.6; line++)
    text += `${tag} row ${line}: value_${(line * 7919) % 99_991}\n`;
  return text;
}

/** Lines of prose of so many characters, with few tokens for their bytes. */
export const prose = (characters: number): string =>
  wordsOf(characters)
    .replaceAll("\n", " ")
    .replace(/(.{9999})./g, "$1\n")
    .slice(0, characters);

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] }) as const;
export const call = (id: string, name = "Read"): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input: { file_path: `/src/${id}.ts` },
});
const result = (id: string, content: string) =>
  ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }) as const;

/** A session with rounds of calls; `kindsAt` says what becomes of it at a reported size. */
async function filled(
  window: WindowOptions,
  {
    rounds,
    tokens,
    tool = "Read",
  }: { readonly rounds: number; readonly tokens: number; readonly tool?: string },
) {
  const made = await aSession({ ...WINDOW, ...window });
  const { session } = made;
  await session.append(user("Read the ledgers."));
  for (let index = 0; index < rounds; index++) {
    await session.append({ role: "assistant", responseId: `r${index}`, content: [call(`c${index}`, tool)] });
    await session.append(result(`c${index}`, lines(tokens, `ledger ${index}`)));
  }
  return made;
}

/** The next request has this size, by what the provider reports. */
function sized(session: Session, tokens: number): void {
  const { ledger } = internalsOf(session).tracker;
  ledger.counted({ tokens, source: "counter:test" });
  expect(session.tokens.padded).toBe(tokens);
}

interface Outcome {
  readonly kinds: readonly LayerEdit["kind"][];
  readonly warning: string;
}

/** The edits and the warning of a request of this size. */
async function outcomeAt(
  tokens: number,
  window: WindowOptions,
  content: Parameters<typeof filled>[1],
): Promise<Outcome> {
  const { session } = await filled(window, content);
  await internalsOf(session).builder.look({ model: MODEL });
  sized(session, tokens);
  const prepared = await session
    .prepare({ model: MODEL })
    .catch((error: { readonly code: string }) => error.code);
  if (typeof prepared === "string") return { kinds: [], warning: prepared };
  const { isAboveErrorThreshold, isAboveWarningThreshold } = prepared.warning;
  const warning = isAboveErrorThreshold && isAboveWarningThreshold ? "warning and error" : "none";
  return { kinds: prepared.edits.map(({ edit }) => edit.kind), warning };
}

/** What a request one token below the size becomes, and one of the size. */
export async function around(
  tokens: number,
  window: WindowOptions,
  content: Parameters<typeof filled>[1] = { rounds: 12, tokens: 1_500, tool: "mcp__docs__get" },
): Promise<string> {
  const shown: string[] = [];
  for (const size of [tokens - 1, tokens]) {
    const { kinds, warning } = await outcomeAt(size, window, content);
    const what = kinds.length > 0 ? kinds.join(", ") : warning;
    shown.push(`${size.toLocaleString("en-US")}: ${what}`);
  }
  return shown.join("; ");
}

export const ONLY_SUMMARIES = ["arrival", "offload", "microcompact", "collapse"] as const;

/** How a new result enters. */
export async function arrival(content: string): Promise<string> {
  const { session } = await aSession(WINDOW);
  await session.append(user("Read."));
  await session.prepare({ model: MODEL });
  await session.record({ messages: [{ role: "assistant", content: [call("c1")] }] });
  await session.append(result("c1", content));
  const { content: shown } = session.visible.at(-1)!.blocks[0]!.block as { readonly content: unknown };
  return shown === content ? "whole" : "preview";
}

/** A text whose result has so many tokens. */
export function ofTokens(tokens: number): string {
  const text = lines(tokens * 2, "block");
  const sizeOf = (end: number): number => estimateBlock(result("c1", text.slice(0, end)).content[0], MODEL);
  let [low, high] = [0, text.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sizeOf(middle) <= tokens) low = middle;
    else high = middle;
  }
  return text.slice(0, low);
}

export async function cleared(count: number): Promise<string> {
  const { session } = await filled({ disabledLayers: ["arrival"] }, { rounds: count, tokens: 40 });
  const { edits } = await session.prepare({ model: MODEL });
  const edit = edits[0]?.edit;
  if (edit === undefined) return `${count} results: none cleared`;
  const forms = edit.effect.forms ?? [];
  const results = new Set(
    session.visible.flatMap(({ blocks, seq }) => blocks.map(({ block }) => ({ block, seq }))),
  );
  const stay = [...results].filter(
    ({ block }) => block.type === "tool_result" && JSON.stringify(block).includes("ledger"),
  ).length;
  expect(forms.length).toBeGreaterThan(0);
  return `${count} results: ${edit.kind} (${edit.reason}), ${stay} stay`;
}

export async function coldAfter(ms: number): Promise<string> {
  const { session, options } = await filled({ disabledLayers: ["arrival"] }, { rounds: 30, tokens: 2_600 });
  await session.prepare({ model: MODEL });
  await session.record({ messages: [{ role: "assistant", content: [{ type: "text", text: "Read." }] }] });
  (options.clock as FakeClock).advance(ms);
  await session.append(user("Go on."));
  const { edits } = await session.prepare({ model: MODEL });
  const edit = edits[0]?.edit;
  const stay = session.visible.filter(({ blocks }) =>
    blocks.some(({ block }) => block.type === "tool_result" && JSON.stringify(block).includes("row 9:")),
  ).length;
  return edit === undefined
    ? `${ms} ms: none cleared`
    : `${ms} ms: ${edit.kind} (${edit.reason}), ${stay} stay`;
}

/** A session with a model whose window is full. */
export async function full(
  options: StageOptions,
  disabledLayers: WindowOptions["disabledLayers"] = [],
): Promise<Stage> {
  let index = 0;
  const stage = await setTheStage({
    answer: () => lines(3_000, `answer ${index++}`),
    ...options,
    window: {
      ...WINDOW,
      ...options.window,
      disabledLayers: ["offload", "microcompact", ...(disabledLayers ?? [])],
    },
  });
  return stage;
}

export const layersOf = ({ events }: Pick<Stage, "events">): readonly string[] =>
  events.flatMap((event) =>
    event.type === "layer"
      ? [event.layer]
      : event.type === "summary-call"
        ? [`call ${event.outcome === "written" ? "written" : "failed"}`]
        : [],
  );

/** The layers of the first rewrite, where some are switched off, or fail. */
export async function firstRewrite(
  options: StageOptions,
  off: WindowOptions["disabledLayers"],
): Promise<string> {
  const stage = await full({ notes: "off", ...options }, off);
  for (let turn = 0; turn < 90; turn++) {
    await stage.session.turn(`Question ${turn}.`);
    await stage.session.notesSettled();
    const layers = layersOf(stage);
    if (layers.some((name) => !name.startsWith("call"))) return layers.join(", ");
  }
  return "nothing";
}

export const tooLong = Object.assign(new Error("prompt is too long"), { status: 400 });

/** What is shown again after the first summary, by its events. */
export async function restored(kind: string, options: StageOptions): Promise<string> {
  const files = Array.from({ length: 8 }, (_, index) => `/repo/src/file${index}.ts`);
  const read = {
    name: "Read",
    description: "Reads a file.",
    inputSchema: { type: "object" as const },
    run: (input: unknown) => lines(9_000, JSON.stringify(input).slice(-12)),
  };
  const stage = await full(
    {
      notes: "off",
      answer: (_, index) =>
        index < files.length
          ? [{ type: "tool_use", id: `read${index}`, name: "Read", input: { file_path: files[index]! } }]
          : lines(8_000, `answer ${index}`),
      ...options,
    },
    ["collapse"],
  );
  await stage.session.turn("Read the files.", { tools: [read] });
  for (let turn = 0; !layersOf(stage).includes("full"); turn++) await stage.session.turn(`Question ${turn}.`);
  const tokens = stage.events.flatMap((event) =>
    event.type === "restored" && event.kind === kind ? [event.tokens] : [],
  );
  const sum = tokens.reduce((one, other) => one + other, 0);
  return `${tokens.length} of up to ${Math.max(...tokens)} tokens, ${sum} in all`;
}
