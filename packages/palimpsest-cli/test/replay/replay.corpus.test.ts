/**
 * `replay` on recorded sessions in a small window: every one in a soak, every third of a format in the long run, and a few
 * by default. `test/corpus/replay-contract.test.ts` has every one in the long run, without the command.
 */
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { isFailed, type ReplayJson } from "#replay/measure/replay-json.ts";
import { runReplay } from "#replay/replay-command.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { COUNTED_OTHERWISE, corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const USUAL: ReadonlySet<string> = new Set([
  ...[
    "cc-entire-unpaired",
    "cc-entire-interrupted",
    "opencode-agentlogs",
    "gemini-entire",
    "sweagent-fc-source",
  ],
]);
const files = [
  // Copilot's recorded system prompts leave no room in a window of this size.
  ...["claude-code", "codex", "openai-chat", "anthropic-messages", "pi"],
  ...["opencode", "gemini-cli", "swe-agent", "mini-swe-agent", "openhands"],
].flatMap((folder) =>
  corpusFiles(folder).filter(({ id }, index) =>
    bySize({ usual: USUAL.has(id), long: index % 3 === 0, soak: true }),
  ),
);

describe.skipIf(!hasCorpus)("replay of recorded sessions", () => {
  it.each(
    files.map((file) => ({ ...file, name: basename(file.path) })),
  )("$name: what the file holds is counted, and every check holds", async ({ id, path, measure }) => {
    const [users = measure.user_messages, answers = measure.assistant_messages, calls = measure.tool_calls] =
      COUNTED_OTHERWISE[id] ?? [];

    const context = cliDouble();
    // Prompts that were billed leave no room here.
    const code = await runReplay([path], { windowSizes: [32_000], fixedTokens: 0, json: true }, context);
    const { sessions } = JSON.parse(context.written.out) as ReplayJson;
    expect(code).toBe(0);
    const sources = sessions.map((session) => (isFailed(session) ? undefined : session.source));
    const sum = (field: "messages" | "toolCalls"): number =>
      sources.reduce((total, source) => total + (source?.[field] ?? Number.NaN), 0);
    // The manifest leaves out side chains; a sub-agent's transcript is one as a whole.
    if (answers === 0) {
      expect(sum("messages")).toBeGreaterThan(0);
    } else {
      expect(sum("toolCalls")).toBe(calls);
      expect(sum("messages")).toBe(users + answers);
    }
  });
});
