/**
 * The first simulator, which was written apart from this library: the baselines' cost and recall were
 * measured with it before. It lies beside the corpus and is not part of the repository.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { type Author, makeTrajectory, type Trajectory } from "palimpsest-testing/internal";
import type { ContentBlock } from "#palimpsest/transcript/blocks.ts";
import { corpusFolder, hasCorpus } from "./corpus.ts";

const folder = resolve(corpusFolder, "../bench-reference/sim");
const recording = join(corpusFolder, "trajectories/pi/pi-before-compaction.jsonl.gz");

export const hasReferenceSimulator =
  hasCorpus && existsSync(join(folder, "sim.mjs")) && existsSync(recording);

/** A message as the reference loads it. */
interface ReferenceMessage {
  readonly role: Author;
  readonly text: string;
  readonly args: string;
  readonly tok: number;
  /** Seconds since the epoch. */
  readonly ts: number;
  readonly name?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string }[];
}

interface ReferenceTrajectory {
  readonly sys: number;
  readonly refs: number;
  readonly farRefs: number;
  readonly msgs: readonly ReferenceMessage[];
}

export interface ReferenceRun {
  readonly cost: number;
  readonly far: number;
  readonly compactions: number;
  readonly fail: unknown;
}

export type ReferencePolicy = object;

export interface ReferenceSimulator {
  readonly session: ReferenceTrajectory;
  readonly policies: Readonly<Record<string, (options?: object) => ReferencePolicy>>;
  run(
    policy: ReferencePolicy,
    options: { readonly window: number; readonly price: string; readonly refetch?: boolean },
  ): ReferenceRun;
}

const load = async (file: string) => await import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href);

let loaded: Promise<ReferenceSimulator> | undefined;

/** The reference with the recorded pi session, as it loads it: once for all test files of a process. */
export function loadReferenceSimulator(): Promise<ReferenceSimulator> {
  loaded ??= loadOnce();
  return loaded;
}

async function loadOnce(): Promise<ReferenceSimulator> {
  const [{ loadPi }, { annotate }, { simulate }, { policies }] = await Promise.all(
    ["traj.mjs", "refs.mjs", "sim.mjs", "policies.mjs"].map(load),
  );
  const temporary = mkdtempSync(join(tmpdir(), "palimpsest-reference-"));
  try {
    const plain = join(temporary, "pi.jsonl");
    writeFileSync(plain, gunzipSync(readFileSync(recording)));
    const session: ReferenceTrajectory = annotate(loadPi(plain));
    return { session, policies, run: (policy, options) => simulate(session, policy, options) };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The same session for our simulator: the same messages, tokens and times. */
export function asTrajectory({ sys, msgs }: ReferenceTrajectory): Trajectory {
  return makeTrajectory({
    name: "pi",
    model: "claude-opus-4-5",
    fixedTokens: sys,
    messages: msgs.map((message) => ({
      message: { role: message.role === "assistant" ? "assistant" : "user", content: blocksOf(message) },
      author: message.role,
      tool: message.name,
      text: `${message.text}\n${message.args}`,
      argumentsText: message.args,
      tokens: message.tok,
      atMs: message.ts * 1_000,
    })),
  });
}

/** Only their number counts: one for what was said, one for each call. */
function blocksOf({ text, calls = [] }: ReferenceMessage): readonly ContentBlock[] {
  return [
    { type: "text", text },
    ...calls.map(({ id, name }) => ({ type: "tool_use", id, name, input: {} }) as const),
  ];
}
