/** Recorded rollouts of Codex against what the files say of themselves, read here without the importer. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import { importSessions } from "#importers/registry.ts";
import { promptTokens } from "#transcript/blocks.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { readLines } from "../runtime/input-files/read-lines.ts";
import { boundariesIn, messagesIn } from "./shared/imported-texts.ts";

/** The fields of a payload that these tests read. */
interface Payload {
  readonly type?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly content?: readonly { readonly text: string }[];
  readonly info?: { readonly total_token_usage?: Totals } | null;
  readonly replacement_history?: readonly { readonly type: string }[];
}

interface Rollout {
  readonly session: ImportedSession;
  readonly records: readonly { readonly type: string; readonly payload: Payload }[];
}

async function rollout(path: string): Promise<Rollout> {
  const input = await readLines(path);
  const records = input.lines.map(({ text }) => JSON.parse(text) as Rollout["records"][number]);
  return { session: importSessions(input).sessions[0]!, records };
}

type Totals = Readonly<Record<string, number>>;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);

describe.skipIf(!hasCorpus)("a recorded rollout of Codex", () => {
  const files = corpusFiles("codex");

  it.each(files)("$id was billed as much as its last running total says", async ({ path, measure }) => {
    const { session, records } = await rollout(path);
    const totals = records.map(({ payload }) => payload.info?.total_token_usage);
    const total: Totals = totals.findLast((found) => found !== undefined) ?? {};
    const usages = messagesIn(session).flatMap(({ usage }) => usage ?? []);
    expect({
      input: sum(usages.map(promptTokens)),
      cached: sum(usages.map(({ cacheReadTokens }) => cacheReadTokens)),
      output: sum(usages.map(({ outputTokens }) => outputTokens)),
    }).toEqual({
      input: total["input_tokens"],
      cached: total["cached_input_tokens"],
      output: total["output_tokens"],
    });
    expect(Math.max(...usages.map(promptTokens))).toBe(measure.max_api_context);
  });

  it.each(files)("$id holds every item once, in its order", async ({ path }) => {
    const { session, records } = await rollout(path);
    const recorded = records.flatMap(({ type, payload }): readonly string[] => {
      if (type !== "response_item") return [];
      const { type: kind, content = [], call_id: id } = payload;
      if (kind === "message") return content.map(({ text }) => text);
      return id === undefined ? [] : [id];
    });
    const read = messagesIn(session).flatMap(({ message }) =>
      message.content.flatMap((block): readonly string[] => {
        if (block.type === "text") return [block.text];
        if (block.type === "tool_use") return [block.id];
        return block.type === "tool_result" ? [block.tool_use_id] : [];
      }),
    );
    expect(read).toEqual(recorded);
  });

  it.each(files)("$id has one answer for each that OpenAI gave an id, where ids were kept", async ({
    path,
  }) => {
    const { session, records } = await rollout(path);
    // Ids of the items of one answer begin alike.
    const ids = records.flatMap(
      ({ payload }) => /^(?:rs|msg|fc|ctc)_(\w{16})/.exec(payload.id ?? "")?.[1] ?? [],
    );
    const answers = messagesIn(session).filter(({ message }) => message.role === "assistant");
    if (ids.length > 0) expect(answers).toHaveLength(new Set(ids).size);
  });

  it.each(files)("$id names what stayed after each compaction, all of it", async ({ path }) => {
    const { session, records } = await rollout(path);
    const histories = records.flatMap(({ type, payload }) =>
      type === "compacted" ? [payload.replacement_history ?? []] : [],
    );
    const stayed = histories.map((history) => history.filter(({ type }) => type === "message").length);
    expect(boundariesIn(session).map(({ preserved }) => preserved?.length)).toEqual(stayed);
    const known = new Set(messagesIn(session).map(({ message }) => message.hostId));
    for (const { preserved = [] } of boundariesIn(session))
      for (const hostId of preserved) expect(known).toContain(hostId);
  });
});
