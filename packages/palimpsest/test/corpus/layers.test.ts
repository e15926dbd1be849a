/**
 * The layers that need no model, on real sessions: what each leaves of a whole recorded session is a
 * request that every wire takes and that needs no mending, and undoing it gives the exact window back.
 */

import {
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
} from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { ImportedMessage } from "#importers/shared/imported-session.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { type FoldedLog, foldHistory } from "#test/helpers/agent-histories.ts";
import { NOTHING, planners } from "#test/helpers/layer-planners.ts";
import { checkRequest } from "#transcript/invariants.ts";
import { planRepair } from "#transcript/repair.ts";
import { assembleRequest } from "#transcript/request.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";
import { tokensOf } from "../../../../test/helpers/windows.ts";

const FOLDERS = [
  ...["claude-code", "codex", "copilot", "openai-chat", "anthropic-messages", "pi"],
  ...["opencode", "gemini-cli", "swe-agent", "mini-swe-agent", "openhands"],
];

/** The longest session of a file, all of it in the window. */
async function fold(path: string): Promise<FoldedLog> {
  const { sessions } = await importFile(path);
  const messages = sessions.map(({ items }) =>
    items.filter((item): item is ImportedMessage => item.type === "message").map(({ message }) => message),
  );
  return foldHistory(messages.toSorted((one, other) => other.length - one.length)[0] ?? []);
}

describe.skipIf(!hasCorpus || !isLong)("on recorded sessions (in the long suite, with the corpus)", () => {
  it.each(FOLDERS.flatMap((folder) => corpusFiles(folder)))("$id stays a valid request", async ({ path }) => {
    const folded = await fold(path);
    for (const { name, plan } of planners) {
      const { visible, callSeqs } = folded.projection;
      const before = [...visible];
      const edit = plan(folded, visible, NOTHING);
      if (edit === undefined) continue;
      const editSeq = folded.edit(edit);
      const after = folded.projection.visible;
      expect(planRepair(after, callSeqs), name).toBeUndefined();
      const request = assembleRequest(after, callSeqs);
      expect(checkRequest(request, "anthropic"), name).toEqual([]);
      expect(judgeAnthropicRequest({ messages: toAnthropic(request) }), name).toEqual([]);
      expect(judgeOpenAIChatRequest({ messages: toOpenAIChat(request) }), name).toEqual([]);
      const body = { model: "gpt-5.5", input: toOpenAIResponses(request) };
      expect(judgeOpenAIResponsesRequest(body), name).toEqual([]);
      expect(Math.abs(tokensOf(before) - tokensOf(after) - edit.freedTokens), name).toBeLessThan(1);
      folded.edit({ kind: "undo", editSeq });
      expect(folded.projection.visible, name).toEqual(before);
    }
  });
});
