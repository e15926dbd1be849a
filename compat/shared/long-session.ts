/**
 * A session of 300 turns with tools through a window of 32,000 tokens, in the real loop of a framework, over HTTP.
 *
 * The loop runs in child processes (`loop-process.ts`), one after another; the provider and all checks are here. See
 * `compat/README.md` for what is checked.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callTool, type ScriptedRequest, type ScriptStep, say, scriptedProvider } from "palimpsest-testing";
import { expect } from "vitest";
import {
  GOOD_PATCHES,
  GOOD_SUMMARY,
  isNotesRequest,
  isSummaryRequest,
} from "../../test/helpers/recorded-agent.ts";
import { inNode } from "../../vitest.shared.ts";
import { type LoopSettings, READ_FILE, sentenceOf } from "./loop.ts";
import type { LoopReply, LoopRequest } from "./loop-process.ts";

/** The checks of each commit take fewer: `.ci/run` sets it. */
const TURNS_COUNT = Number(process.env["PALIMPSEST_COMPAT_TURNS"] ?? 300);
const WINDOW_TOKENS = 32_000;
/** Large enough for an undone compaction. */
const LARGE_WINDOW_TOKENS = 200_000;
/** Turns after which the process ends: politely, then killed. */
const STOPPED_AFTER = Math.floor(TURNS_COUNT / 3);
const KILLED_AFTER = 2 * STOPPED_AFTER;
/** Every so many turns the model looks something up that has left the window. */
const LOOK_UP_EVERY = 50;

export interface LongSession {
  /** URL of the module that exports `openLoop`. */
  readonly module: URL;
  readonly variant: string;
}

/** Figures of a finished session. */
export interface LongSessionFigures {
  readonly requests: number;
  readonly largestPromptTokens: number;
  /** Share of the prompts that was read from the provider's cache. */
  readonly cacheShare: number;
}

/** Runs the session and asserts everything about it. */
export async function runLongSession({ module, variant }: LongSession): Promise<LongSessionFigures> {
  const model = new PlannedModel();
  const provider = await scriptedProvider({
    script: (request) => model.answer(request),
    windowTokens: WINDOW_TOKENS,
  });
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-compat-"));
  const settings: LoopSettings = {
    url: provider.url,
    openAiUrl: provider.openAiUrl,
    folder,
    windowTokens: WINDOW_TOKENS,
    variant,
  };
  let loop = await LoopProcess.open(module, settings);
  try {
    for (let turn = 1; turn <= TURNS_COUNT; turn++) {
      const isLookUp = turn % LOOK_UP_EVERY === 0;
      model.plan = isLookUp ? lookUp(model, turn) : readFiles(turn);
      expect(await loop.send({ do: "say", text: questionOf(turn) }), `turn ${turn}`).toBe(answerOf(turn));
      expect(model.plan, `steps of turn ${turn} that were not asked for`).toEqual([]);
      if (turn === STOPPED_AFTER) await loop.stop();
      if (turn === KILLED_AFTER) await loop.kill();
      if (turn === STOPPED_AFTER || turn === KILLED_AFTER) loop = await LoopProcess.open(module, settings);
    }
    expect(model.lookUps).toEqual(
      Array.from({ length: TURNS_COUNT / LOOK_UP_EVERY }, () => ({
        wasGone: true,
        isFound: true,
        isRead: true,
      })),
    );
    expect(model.knows(answerOf(1)), "the first answer is in the window").toBe(false);
    await takeTurnBack(loop, model);
    await loop.stop();
    provider.windowTokens = LARGE_WINDOW_TOKENS;
    loop = await LoopProcess.open(module, { ...settings, windowTokens: LARGE_WINDOW_TOKENS });
    await undoCompaction(loop, model);
    await loop.stop();

    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    expect(provider.requests.filter(({ outcome }) => outcome !== "answered")).toEqual([]);
    const answers = provider.requests.filter(({ purpose }) => purpose === "answer");
    const sum = (pick: (request: (typeof answers)[number]) => number): number =>
      answers.reduce((total, request) => total + pick(request), 0);
    return {
      requests: answers.length,
      largestPromptTokens: Math.max(
        ...answers.slice(0, -2).map(({ promptTokens }) => Math.round(promptTokens)),
      ),
      cacheShare: sum(({ cache }) => cache.readTokens) / sum(({ promptTokens }) => promptTokens),
    };
  } finally {
    await loop.kill();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const questionOf = (turn: number): string =>
  `Question ${turn}: what does the archive say about night ${turn}?`;
const answerOf = (turn: number): string => `Answer ${turn}: nothing was seen that night.`;
const pathOf = (turn: number, file = 0): string => `logs/${turn}-${file}.txt`;

/** A step of the model; one that depends on the request is made when that comes, from its body. */
type PlannedStep = ScriptStep | ((body: string) => ScriptStep);

/** A model that follows the plan of a turn, and writes summaries and notes whenever it is asked to. */
class PlannedModel {
  plan: PlannedStep[] = [];
  /** The body of the newest request of a turn, as JSON. */
  newestBody = "";
  readonly lookUps: LookUp[] = [];

  /** True if the newest request has the text. */
  knows(text: string): boolean {
    return this.newestBody.includes(text);
  }

  answer(request: ScriptedRequest): ScriptStep {
    if (isSummaryRequest(request)) return GOOD_SUMMARY;
    if (isNotesRequest(request)) return GOOD_PATCHES;
    this.newestBody = JSON.stringify(request.body);
    const step = this.plan.shift();
    if (step === undefined) throw new Error(`No step is planned: ${request.lastUserText}`);
    return typeof step === "function" ? step(this.newestBody) : step;
  }
}

/** A search for a sentence of an old file, and what came of it. */
interface LookUp {
  wasGone: boolean;
  isFound: boolean;
  isRead: boolean;
}

/** A turn with one or two files, read one by one or at once. */
function readFiles(turn: number): PlannedStep[] {
  const read = (file: number) =>
    callTool(READ_FILE.name, { path: pathOf(turn, file) }, `call_${turn}_${file}`);
  const last = [say(answerOf(turn))];
  if (turn % 3 === 0) return [[say("I will look."), read(0)], [read(1)], last];
  return turn % 3 === 1 ? [[read(0)], last] : [[read(0), read(1)], last];
}

/** A turn that searches the history for a sentence of an old file, and reads the place that it finds. */
function lookUp(model: PlannedModel, turn: number): PlannedStep[] {
  const path = pathOf(turn - 45);
  const sentence = sentenceOf(path);
  const [mark = ""] = /door \w+/.exec(sentence) ?? [];
  const found: LookUp = { wasGone: false, isFound: false, isRead: false };
  model.lookUps.push(found);
  return [
    (body) => {
      found.wasGone = !body.includes(mark);
      return callTool("history_search", { query: `"${mark}"` }, `search_${turn}`);
    },
    (body) => {
      found.isFound = body.includes(`painted ${mark}`);
      // The newest search is a hit, too: the model picks the file.
      const pointer = new RegExp(`(m[\\d.]+) \\(user, ${READ_FILE.name}\\): # ${path}`).exec(body)?.[1];
      return callTool("history_read", { pointer: pointer ?? "none" }, `read_${turn}`);
    },
    (body) => {
      found.isRead = body.slice(body.lastIndexOf(": characters ")).includes(sentence);
      return say(answerOf(turn));
    },
  ];
}

/** The next request knows the turn before the one that was taken back, and not that one. */
async function takeTurnBack(loop: LoopProcess, model: PlannedModel): Promise<void> {
  const secret = "Question about marigolds?";
  model.plan = [say("There are none.")];
  await loop.send({ do: "say", text: secret });
  expect(model.knows(secret)).toBe(true);
  await loop.send({ do: "take-back" });
  model.plan = [say("Go on.")];
  await loop.send({ do: "say", text: "What did I ask last?" });
  expect(model.knows(secret)).toBe(false);
  expect(model.knows("There are none.")).toBe(false);
  expect(model.knows(questionOf(TURNS_COUNT))).toBe(true);
}

/** A compaction by hand hides what was said; once it is taken back, the request has that again. */
async function undoCompaction(loop: LoopProcess, model: PlannedModel): Promise<void> {
  model.plan = [say("Before.")];
  await loop.send({ do: "say", text: "Before the compaction?" });
  const shown = [...model.newestBody.matchAll(/Answer \d+: nothing/g)].map(([text]) => text);
  expect(shown.length).toBeGreaterThan(0);
  expect(Number(await loop.send({ do: "undo" }))).toBeGreaterThan(0);
  model.plan = [say("After.")];
  await loop.send({ do: "say", text: "After the undo?" });
  expect(shown.filter((text) => !model.knows(text))).toEqual([]);
}

/** The process that the loop runs in. */
class LoopProcess {
  readonly #child: ChildProcess;

  private constructor(module: URL) {
    const path = fileURLToPath(new URL("./loop-process.ts", import.meta.url));
    this.#child = fork(path, [module.href], { execArgv: [...inNode.execArgv] });
  }

  static async open(module: URL, settings: LoopSettings): Promise<LoopProcess> {
    const process = new LoopProcess(module);
    await process.send({ do: "open", settings });
    return process;
  }

  /** @throws what the loop threw, and where the process ended instead of answering */
  async send(request: LoopRequest): Promise<string> {
    const waiting = new AbortController();
    const heard = async (event: string): Promise<unknown> =>
      (await once(this.#child, event, { signal: waiting.signal }))[0];
    const reply = Promise.race([
      heard("message").then((message) => message as LoopReply),
      heard("exit").then((code): LoopReply => ({ error: `The process ended with ${code}.` })),
    ]);
    this.#child.send(request);
    const answered = await reply;
    waiting.abort();
    if ("error" in answered) throw new Error(answered.error);
    return answered.text;
  }

  /** Closes the loop and ends the process. */
  async stop(): Promise<void> {
    await this.send({ do: "close" });
    await this.kill();
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
