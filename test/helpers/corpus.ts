/**
 * The corpus of recorded sessions, which is not part of the repository: its folder comes from
 * PALIMPSEST_CORPUS or lies beside the checkout. Tests that need it say so when it is missing.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export const corpusFolder = process.env["PALIMPSEST_CORPUS"] ?? resolve(repositoryRoot, "../shared/corpus");
export const hasCorpus = existsSync(join(corpusFolder, "manifest.json"));

/**
 * Figures of one file. How the manifest counted, worked out from the data:
 * - `user_messages`: lines or messages of the user with text, neither tool results nor marked as
 *   put in by the tool (`isMeta`), nor compaction summaries; abandoned branches count.
 * - `assistant_messages`: distinct response ids, answers that the tool made up after an API error
 *   (`<synthetic>`) and empty, aborted answers included.
 * - `dangling_tool_use`: calls without a result anywhere in the file; `orphan_tool_result` likewise.
 * - Lines marked as a side chain are not counted, so the transcripts of sub-agents have zeros.
 * - `pre_compact_tokens` is only filled for Claude Code.
 */
export interface ManifestMeasure {
  readonly user_messages: number;
  readonly assistant_messages: number;
  readonly tool_calls: number;
  readonly tool_results: number;
  readonly compactions: number;
  readonly microcompactions: number;
  readonly pre_compact_tokens: readonly number[];
  /** Largest prompt that was billed; 0 where no prompt was recorded. */
  readonly max_api_context: number;
  readonly dangling_tool_use: number;
  readonly orphan_tool_result: number;
}

export interface CorpusFile {
  readonly id: string;
  readonly path: string;
  readonly measure: ManifestMeasure;
}

/** The corpus' trajectories in one folder, such as `claude-code`; none where there is no corpus. */
export function corpusFiles(folder: string): readonly CorpusFile[] {
  if (!hasCorpus) return [];
  const manifest = JSON.parse(readFileSync(join(corpusFolder, "manifest.json"), "utf8")) as readonly {
    readonly id: string;
    readonly file: string;
    readonly measure: ManifestMeasure;
  }[];
  return manifest
    .filter((entry) => entry.file.startsWith(`trajectories/${folder}/`))
    .map(({ id, file, measure }) => ({ id, path: join(corpusFolder, file), measure }));
}

/** Lists the recorded sessions of the corpus and of the second corpus in the folder next to it. Ids are unique. */
export function recordedFiles(): readonly { readonly id: string; readonly path: string }[] {
  return [corpusFolder, `${corpusFolder}-2`].flatMap((root) => {
    const manifest = join(root, "manifest.json");
    if (!existsSync(manifest)) return [];
    const entries = JSON.parse(readFileSync(manifest, "utf8")) as readonly {
      readonly id: string;
      readonly file: string;
    }[];
    return entries
      .filter(({ file }) => file.startsWith("trajectories/"))
      .map(({ id, file }) => ({ id, path: join(root, file) }));
  });
}

/**
 * Recordings whose manifest counts something else than messages. The counts here were made by hand in the files:
 * [user messages, answers, calls, results, calls without a result, results without a call].
 */
export const COUNTED_OTHERWISE: Readonly<Record<string, readonly number[]>> = {
  /*
   * For Codex the manifest counts every message in the user's role, also those that Codex writes itself
   * (instructions, environment, skills, a notice of an abort). People wrote those that the screen showed
   * as theirs (`event_msg/user_message`). As answers the manifest counts messages of the model, but an answer
   * with only calls has none and some have two. Here an answer is one billed call, plus the last one of 218k,
   * which was cut off. Searches for tools (3 and 2) are called and answered like others.
   */
  "codex-agentv-773k": [9, 327, 531, 531, 0, 0],
  "codex-agentv-354k": [17, 278, 443, 443, 0, 0],
  "codex-agentv-218k": [3, 70, 181, 180, 1, 0],
  "codex-agentv-83k": [6, 61, 111, 111, 0, 0],
  "codex-skills-264k": [58, 295, 543, 543, 0, 0],
  // Two messages in the user's role are Copilot's own, and the 35 answers are chunks of 29.
  "copilot-azuredev": [2, 29, 108, 108, 0, 0],
  // 20 of the 21 messages of the user are outputs of commands, not written by a person. In mini-swe-agent's files the manifest does not count them either.
  "sweagent-ctf-web": [1, 21, 0, 0, 0, 0],
  // One of the manifest's 12 answers is a notice that an update is there.
  "gemini-entire": [1, 11, 9, 9, 0, 0],
  // The call that failed is answered by its error.
  "opencode-agentlogs": [2, 14, 13, 13, 0, 0],
  /*
   * The manifest counts events. Of the 6 of the user, 3 are OpenHands looking something up, which it
   * counts as 3 calls and 3 results as well; 2 results are errors of calls that were not recorded; the
   * 105 answers are in the actions. `finish` is called twice and never answered.
   */
  "openhands-mswe": [3, 105, 105, 103, 2, 0],
};
