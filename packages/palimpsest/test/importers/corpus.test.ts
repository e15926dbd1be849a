/** Real sessions: what was imported equals what the corpus' manifest counted in the files. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#base/json/json.ts";
import { countSession } from "#importers/count-session.ts";
import type { ImportedSession, ImportResult } from "#importers/registry.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import type { Message } from "#transcript/blocks.ts";
import { fromAnthropic } from "#wire/anthropic/from-anthropic.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { fromOpenAIChat } from "#wire/openai-chat/from-openai-chat.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { fromOpenAIResponses } from "#wire/openai-responses/from-openai-responses.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import { COUNTED_OTHERWISE, corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { usualFew } from "../../../../test/helpers/size-of-run.ts";
import { readLines } from "../runtime/input-files/read-lines.ts";

/** Transcripts of sub-agents: the manifest skips side-chain lines, so its figures are zeros. Counted by hand in the files. */
const SUB_AGENTS: Readonly<Record<string, readonly number[]>> = {
  "cc-spotter-sub1": [1, 12, 33, 33, 0, 0],
  "cc-spotter-acompact": [1, 1, 0, 0, 0, 0],
};

/** Sizes before compactions that the manifest does not have. Counted by hand: what was billed last before each. */
const SIZES_BEFORE: Readonly<Record<string, readonly number[]>> = {
  "pi-before-compaction": [175_004, 185_014],
  "codex-agentv-773k": [237_823, 229_684, 229_133],
  "codex-agentv-354k": [217_074],
  "codex-skills-264k": [204_174],
};

/** Sessions in files that hold several. */
const SESSIONS: Readonly<Record<string, number>> = { "tau-airline-gpt4o-12": 12, "openhands-mswe": 3 };

const FOLDERS = [
  ...["claude-code", "codex", "copilot", "openai-chat", "anthropic-messages", "pi"],
  ...["opencode", "gemini-cli", "swe-agent", "mini-swe-agent", "openhands"],
];
const files = FOLDERS.flatMap((folder) => corpusFiles(folder).map((file) => ({ ...file, folder })));

/** By default a third of the files goes over the wires. */
const onWires = new Set(usualFew(files, 3));

let newest: { readonly path: string; readonly imported: ImportResult } | undefined;
const sessionCounts = new Map<string, number>();

/** A file is read once for its tests, which follow one another. */
async function importedFrom(path: string): Promise<ImportResult> {
  if (newest?.path !== path) {
    newest = { path, imported: await importFile(path) };
    sessionCounts.set(path, newest.imported.sessions.length);
  }
  return newest.imported;
}

function messagesOf(session: ImportedSession): readonly Message[] {
  return session.items.flatMap((item) => (item.type === "message" ? [item.message] : []));
}

describe.skipIf(!hasCorpus)("recorded sessions", () => {
  it("are all there", () => {
    expect(files.length).toBe(37);
  });

  describe.each(files)("$id", (file) => {
    it("holds as many messages, calls and results as the manifest counted", async () => {
      const { format, sessions } = await importedFrom(file.path);
      expect(format).toBe(file.folder);
      const counts = sessions.map(countSession);
      const sum = (pick: (count: ReturnType<typeof countSession>) => number): number =>
        counts.reduce((total, count) => total + pick(count), 0);
      const counted = [
        sum((count) => count.userMessages),
        sum((count) => count.assistantMessages),
        sum((count) => count.toolCalls),
        sum((count) => count.toolResults),
        sum((count) => count.danglingToolUse),
        sum((count) => count.orphanToolResult),
      ];
      const { measure } = file;
      expect(sessions).toHaveLength(SESSIONS[file.id] ?? 1);
      const expected = SUB_AGENTS[file.id] ??
        COUNTED_OTHERWISE[file.id] ?? [
          measure.user_messages,
          measure.assistant_messages,
          measure.tool_calls,
          measure.tool_results,
          measure.dangling_tool_use,
          measure.orphan_tool_result,
        ];
      expect(counted).toEqual(expected);
      expect(sum((count) => count.boundaries)).toBe(measure.compactions);
      expect(sum((count) => count.microcompacts)).toBe(measure.microcompactions);
    });

    it("has every recorded boundary with its tokens and its summary", async () => {
      const { sessions } = await importedFrom(file.path);
      const boundaries = sessions
        .flatMap((session) => session.items)
        .flatMap((item) => (item.type === "boundary" && item.trigger !== "clear" ? [item] : []));
      expect(boundaries.map((boundary) => boundary.preTokens)).toEqual(
        SIZES_BEFORE[file.id] ?? file.measure.pre_compact_tokens,
      );
      // Codex has OpenAI write its summaries, which seals them.
      if (file.folder === "codex") return;
      for (const { summary } of boundaries) expect(summary?.length).toBeGreaterThan(1_000);
    });

    it("has every message once, and results after their calls", async () => {
      const { sessions } = await importedFrom(file.path);
      for (const session of sessions) {
        const hostIds = messagesOf(session).flatMap(({ hostId }) => (hostId === undefined ? [] : [hostId]));
        expect(new Set(hostIds).size).toBe(hostIds.length);
        const responses = messagesOf(session).flatMap(({ responseId }) =>
          responseId === undefined ? [] : [responseId],
        );
        expect(new Set(responses).size).toBe(responses.length);
        const all = new Set(
          messagesOf(session).flatMap(({ content }) =>
            content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
          ),
        );
        const called = new Set<string>();
        for (const block of messagesOf(session).flatMap(({ content }) => content)) {
          if (block.type === "tool_use") called.add(block.id);
          if (block.type === "tool_result" && all.has(block.tool_use_id))
            expect(called).toContain(block.tool_use_id);
        }
      }
    });

    it.runIf(onWires.has(file))(
      "goes to each provider's wire, back and to the wire again unchanged",
      async () => {
        const { sessions } = await importedFrom(file.path);
        for (const session of sessions) {
          const messages = messagesOf(session);
          const anthropic = toAnthropic(messages);
          expect(toAnthropic(fromAnthropic(anthropic).messages)).toEqual(anthropic);
          const chat = toOpenAIChat(messages);
          const { messages: chatMessages, system } = fromOpenAIChat(chat);
          expect(toOpenAIChat(chatMessages, system === undefined ? {} : { system })).toEqual(chat);
          const items = toOpenAIResponses(messages);
          const joined = fromOpenAIResponses(items);
          expect(joined.unreadable).toEqual([]);
          // Neighbours of one role are one message after the way back: compared is what is said, part by part.
          expect(parts(toOpenAIResponses(joined.messages))).toEqual(parts(items));
        }
      },
    );
  });

  it("are fifty sessions in all formats together", async () => {
    for (const { path } of files) if (!sessionCounts.has(path)) await importedFrom(path);
    expect([...sessionCounts.values()].reduce((sum, count) => sum + count, 0)).toBe(50);
  });

  it("gives the airline conversations back to the letter", async () => {
    const [file] = corpusFiles("openai-chat");
    const input = await readLines(file!.path);
    for (const { text } of input.lines) {
      const { traj } = JSON.parse(text) as { readonly traj: readonly Record<string, unknown>[] };
      const { messages, system } = fromOpenAIChat(traj);
      expect(toOpenAIChat(messages, { system: system! })).toEqual(traj);
    }
  });

  it("gives Cline's history back without what the Messages API would refuse", async () => {
    const [file] = corpusFiles("anthropic-messages");
    const input = await readLines(file!.path);
    const wire = JSON.parse(input.lines.map((line) => line.text).join("\n")) as readonly {
      readonly role: string;
      readonly content: readonly Record<string, unknown>[];
    }[];
    const expected = wire.map(({ role, content }) => ({
      role,
      content: content.map(({ call_id: _, ...block }) => block),
    }));
    expect(toAnthropic(fromAnthropic(wire).messages)).toEqual(expected);
  });
});

/** Message items flattened to their parts, so that where items begin does not matter. */
function parts(items: readonly JsonObject[]): readonly unknown[] {
  return items.flatMap((item) =>
    item["type"] === "message" && Array.isArray(item["content"])
      ? item["content"].map((part: unknown) => [item["role"], part])
      : [item],
  );
}
