/** A session without an agent shows the files under edit again after an early summary, where its policy says so. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { POLICY_DEFAULTS } from "#base/defaults/compaction/economics.ts";
import { aSession } from "#test/helpers/sessions.ts";
import { blockText, type Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";

const usual = { ...POLICY_DEFAULTS.balanced };

beforeEach(() => {
  const early = { summaryMultiple: 8, earlyShare: 0, earlyFiles: { tokens: 6_000, floor: 2_000 } };
  Object.assign(POLICY_DEFAULTS.balanced, early);
});
afterEach(() => {
  Object.assign(POLICY_DEFAULTS.balanced, usual);
});

const LINES = Array.from(
  { length: 400 },
  (_, index) => `${index + 1}\tconst line${index + 1} = ${index + 1};`,
);

function turn(id: string, name: string, input: object, content: string): readonly Message[] {
  return [
    { role: "assistant", responseId: id, content: [{ type: "tool_use", id, name, input: input as never }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
}

it("shows the parts under edit behind a summary that saves cost", async () => {
  const { session } = await aSession({ policy: "balanced", editSafety: "permissive" });
  await session.append({ role: "user", content: [{ type: "text", text: "Change line 200." }] });
  const early: LayerEdit[] = [];
  for (let number = 0; number < 160 && early.length === 0; number++) {
    const { edits } = await session.prepare({ model: "claude-sonnet-4-5" });
    early.push(...edits.map(({ edit }) => edit).filter(({ reason }) => reason === "rent"));
    const [answer, result] =
      number % 2 === 0
        ? turn(
            `r${number}`,
            "Read",
            { file_path: `/log/${number}.txt` },
            `row ${number} of a log\n`.repeat(300),
          )
        : turn(
            `e${number}`,
            "Edit",
            { file_path: "/p/edited.ts", old_string: `= ${200 + number};`, new_string: `= x${number};` },
            "ok",
          );
    const first = turn("first", "Read", { file_path: "/p/edited.ts" }, LINES.join("\n"));
    await session.record({ messages: [number === 0 ? first[0]! : answer!] });
    await session.append(number === 0 ? first[1]! : result!);
  }
  const inserted = early[0]!.effect.insert!.flatMap(({ messages }) => messages);
  expect(inserted.map(({ origin }) => origin)).toEqual(["summary", "restored"]);
  const text = inserted[1]!.content.map(blockText).join("\n");
  expect(text).toContain("Recent file: /p/edited.ts");
  expect(text).toContain("const line201 = x1;");
  expect(text.length / 3).toBeLessThan(6_000);
});
