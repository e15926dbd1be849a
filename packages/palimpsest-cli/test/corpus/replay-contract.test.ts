/**
 * The main promise on real sessions: every recorded session goes through windows of every size, and
 * the stored log proves that nothing broke, nothing overflowed and nothing was lost.
 *
 * Sizes are judged by a second counter that shares nothing with the estimator: the o200k tokenizer
 * times the session's own ratio of billed tokens to it.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { RequestMessage } from "palimpsest";
import { type ContentBlock, FileSessionStore, nodeFileSystem, nodeHasher, randomIds } from "palimpsest";
import type { ImportedMessage, ImportedSession } from "palimpsest/formats";
import { importFile } from "palimpsest/formats";
import { hydrate, Projection } from "palimpsest/internal";
import { assembleRequest, blockText, promptTokens } from "palimpsest/transcript";
import { afterAll, describe, expect, it } from "vitest";
import { replaySession } from "#replay/replay-session.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

/** Largest request in each window. */
const WINDOWS = [
  { windowTokens: 200_000, blockingTokens: 177_000 },
  { windowTokens: 64_000, blockingTokens: 56_640 },
  { windowTokens: 32_000, blockingTokens: 28_320 },
  { windowTokens: 16_000, blockingTokens: 14_160 },
] as const;

const FOLDERS = [
  ...["claude-code", "codex", "copilot", "openai-chat", "anthropic-messages", "pi"],
  ...["opencode", "gemini-cli", "swe-agent", "mini-swe-agent", "openhands"],
];
/**
 * All sessions in the long suite; in the default one each smaller session, without those that take longest.
 */
type EditSafety = "strict" | "permissive";
const SAFETIES: readonly EditSafety[] = ["strict", "permissive"];
const SMALLER_BYTES = 60_000;
const LONGEST = new Set(["cc-ctxeval-compact.jsonl.gz", "tau-airline-gpt4o-12.jsonl.gz"]);
const files = FOLDERS.flatMap((folder) => corpusFiles(folder)).filter(
  ({ path }) => isLong || statSync(path).size <= SMALLER_BYTES,
);

/** Windows in which a recorded system prompt leaves too little room for a conversation: that is refused, and said. */
const TOO_SMALL: Readonly<Record<string, readonly number[]>> = {
  "copilot-agentv": [16_000],
  "copilot-azuredev": [16_000],
};
/** Every window and both classes in a soak; else one window of each session, and one class in turn. */
const safetiesOf = (file: number, window: number): readonly EditSafety[] =>
  bySize<readonly EditSafety[]>({
    usual: window === file % 4 ? [SAFETIES[(file >> 2) % 2]!] : [],
    long: window === (file + (file >> 2)) % 4 ? [SAFETIES[(file + window) % 2]!] : [],
    soak: SAFETIES,
  });
const runsOf = (file: number) =>
  WINDOWS.flatMap((window, index) =>
    safetiesOf(file, index).map((editSafety) => ({ ...window, editSafety })),
  );
const folder = mkdtempSync(join(tmpdir(), "palimpsest-contract-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const known = new WeakMap<object, number>();

/** Pieces of bounded length, because a tokenizer is quadratic in one long word. */
function o200k(text: string): number {
  let tokens = 0;
  for (let start = 0; start < text.length; start += 2_000)
    tokens += countTokens(text.slice(start, start + 2_000), { disallowedSpecial: new Set() });
  return tokens;
}

function o200kOf(block: ContentBlock): number {
  let tokens = known.get(block);
  if (tokens === undefined) {
    tokens = o200k(blockText(block));
    known.set(block, tokens);
  }
  return tokens;
}

const o200kOfAll = (messages: readonly RequestMessage[]): number =>
  messages.reduce((sum, { content }) => sum + content.reduce((inner, block) => inner + o200kOf(block), 0), 0);

/**
 * Reasoning that an answer was billed for and that is not in its text: it stays in the window, sealed.
 * It can be computed if the tokenizer is the one that counts here.
 */
function sealedTokens({ format }: ImportedSession, { message, usage }: ImportedMessage): number {
  if (format !== "codex" || usage === undefined) return 0;
  const read = message.content.filter((block) => block.type !== "opaque");
  return Math.max(0, usage.outputTokens - read.reduce((sum, block) => sum + o200kOf(block), 0));
}

/** Median of billed growth over o200k growth between two calls; 1 where nothing was billed. */
function recordedRatio(session: ImportedSession): number {
  const ratios: number[] = [];
  let estimated = 0;
  let last: { readonly billed: number; readonly estimated: number } | undefined;
  for (const item of session.items) {
    if (item.type === "boundary") last = undefined;
    if (item.type !== "message") continue;
    const billed = item.usage === undefined ? 0 : promptTokens(item.usage);
    if (billed > 0) {
      if (last !== undefined && billed - last.billed > 1_000 && estimated - last.estimated > 500)
        ratios.push((billed - last.billed) / (estimated - last.estimated));
      last = { billed: billed + sealedTokens(session, item), estimated };
    }
    estimated += item.message.content.reduce((sum, block) => sum + o200kOf(block), 0);
  }
  ratios.sort((one, other) => one - other);
  return ratios[ratios.length >> 1] ?? 1;
}

/** The sizes of all requests that a stored log says were sent, by the second counter. */
async function sentSizes(sessionId: string, root: string, fixed: string): Promise<readonly number[]> {
  const log = await new FileSessionStore({
    root,
    fs: nodeFileSystem,
    hasher: nodeHasher,
    ids: randomIds,
  }).open(sessionId);
  const projection = new Projection();
  const fixedTokens = o200k(fixed);
  const sizes: number[] = [];
  for await (const batch of log.readAll()) {
    expect(batch.damage).toEqual([]);
    for (const { entry } of batch.entries) {
      if (entry.type === "call")
        sizes.push(fixedTokens + o200kOfAll(assembleRequest(projection.visible, projection.callSeqs)));
      projection.apply(await hydrate(entry, log));
    }
  }
  await log.close();
  return sizes;
}

async function replay(
  imported: ImportedSession,
  windowTokens: number,
  editSafety: (typeof SAFETIES)[number],
) {
  const root = mkdtempSync(join(folder, "session-"));
  const signal = new AbortController().signal;
  return {
    root,
    ...(await replaySession({
      file: "recorded.jsonl",
      imported,
      folder: root,
      windowTokens,
      // Prompts that were billed leave no room in small windows.
      fixedTokens: 0,
      editSafety,
      signal,
      onProgress: () => {},
    })),
  };
}

describe.skipIf(!hasCorpus)(
  "every recorded session, through windows of every size (skipped without the corpus)",
  () => {
    it.each(
      files
        .map((file, index) => ({ ...file, index, name: basename(file.path) }))
        .filter(({ name }) => isLong || !LONGEST.has(name)),
    )("$name stays inside, valid, exact and whole", async ({ id, path, index }) => {
      const { sessions } = await importFile(path);
      for (const imported of sessions) {
        const ratio = recordedRatio(imported);
        const fixed = `${imported.system ?? ""}${imported.tools === undefined ? "" : JSON.stringify(imported.tools)}`;
        for (const { windowTokens, blockingTokens, editSafety } of runsOf(index)) {
          const replayed = await replay(imported, windowTokens, editSafety);
          if (TOO_SMALL[id]?.includes(windowTokens) === true) {
            expect(replayed).toMatchObject({
              type: "failed",
              result: { error: { code: "WINDOW_TOO_SMALL" } },
            });
            continue;
          }
          expect(replayed.type).toBe("replayed");
          if (replayed.type !== "replayed") continue;
          const { result, storedAs, root } = replayed;
          expect(result).toMatchObject({
            overflows: 0,
            invariants: { broken: 0 },
            rebuild: { different: 0 },
          });
          expect(result.lossless.recovered).toBe(result.lossless.blocks);
          const sizes = await sentSizes(storedAs, root, fixed);
          expect(sizes).toHaveLength(result.calls);
          expect(Math.max(0, ...sizes) * ratio).toBeLessThan(blockingTokens);
        }
      }
    });
  },
);
