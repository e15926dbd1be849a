/**
 * Recorded sessions through every format and back: their requests are read as they were written, and each of their
 * answers is the same whole and streamed.
 */
import { describe, expect, it } from "vitest";
import type { ModelAnswer } from "#ports/model-client.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { FORMATS, framesOf } from "#test/wire/shared/formats.ts";
import type { Message } from "#transcript/blocks.ts";
import { SseReader } from "#wire/shared/sse.ts";
import { hasCorpus, recordedFiles } from "../../../../test/helpers/corpus.ts";
import { bySize, usualFew } from "../../../../test/helpers/size-of-run.ts";

/** By default every ninth recording. */
const FILES = usualFew(recordedFiles(), 18);
/** Messages of a session that are in one request, and answers that are compared. */
const MOST_MESSAGES = bySize({ usual: 60, long: 400 });

const read = new Map<string, Promise<readonly Message[]>>();

/** The messages of a recording, which is read once for all formats. */
function messagesOf(path: string): Promise<readonly Message[]> {
  const known = read.get(path) ?? readMessages(path);
  read.set(path, known);
  return known;
}

async function readMessages(path: string): Promise<readonly Message[]> {
  const { sessions } = await importFile(path);
  const lists = sessions.map(({ items }) =>
    items.flatMap((item) => (item.type === "message" ? [item.message] : [])),
  );
  const longest = lists.toSorted((one, other) => other.length - one.length)[0] ?? [];
  return longest.slice(0, MOST_MESSAGES);
}

describe.skipIf(!hasCorpus).each(FORMATS)("recorded sessions in the format $name", (format) => {
  it.each(FILES)("are read as they were written: $id", async ({ path }) => {
    const messages = await messagesOf(path);
    const request = { model: "m", system: "You help.", messages, maxOutputTokens: 1_000 };
    const body = format.writeRequest(request);
    const text = JSON.stringify(body);
    expect(JSON.stringify(format.rewrite(text))).toBe(text);
    expect(format.readRequest(text).unreadable).toEqual([]);

    for (const { role, content } of messages) {
      if (role !== "assistant") continue;
      const answer: ModelAnswer = { messages: [{ role, content }], stopReason: "end" };
      const whole = format.readAnswer(JSON.parse(JSON.stringify(format.writeAnswer(answer))));
      const reader = new SseReader();
      const assembly = format.assembly();
      const bytes = new TextEncoder().encode(framesOf(format, answer, 200).join(""));
      for (const event of reader.take(bytes)) assembly.take(event);
      expect(assembly.isComplete).toBe(true);
      expect(assembly.answer()).toEqual(whole);
    }
  });
});
