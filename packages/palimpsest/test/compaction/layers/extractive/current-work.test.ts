/** Section 8 of a summary from the log: what the assistant said and called last, in windows of any size. */
import { expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { planExtractiveCompact } from "#compaction/layers/extractive/extractive-summary.ts";
import { extractivePolicy } from "#compaction/planner/policies.ts";
import { blockText, type Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import { assistant, call, measure, result, text, user } from "../../../../../../test/helpers/windows.ts";

const messages: readonly Message[] = [
  user("Change every module."),
  ...Array.from({ length: 40 }, (_, index): readonly Message[] => [
    assistant(`r${index}`, call(`c${index}`, "Read", { file_path: `src/module_${index}.ts` })),
    result(`c${index}`, "some line of code here\n".repeat(130)),
  ]).flat(),
  assistant("last", text(`Now the ${"very long and ".repeat(200)}last words.`)),
];

function currentWorkIn(windowTokens: number): string {
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  const situation = { effectiveTokens: windowTokens * 0.9, pendingCallIds: [] };
  const policy = extractivePolicy({ ...situation, windowTokens, editSafety: "strict" });
  const input = { visible: asWindow(messages), digest, measure, policy, pendingCallIds: [] };
  const edit = planExtractiveCompact({ ...input, reason: "threshold" })!;
  const summary = edit.effect.insert![0]!.messages[0]!.content.map(blockText).join("\n");
  return /## 8\. Current Work\n([\s\S]*?)\n\n## 9\./.exec(summary)![1]!;
}

it.each([32_000, 8_000])("has the start of the last words in a window of %i tokens", (windowTokens) => {
  expect(currentWorkIn(windowTokens)).toContain(
    "- The assistant said (m82.0):\n  > Now the very long and very long",
  );
});

it("has as many of the last calls as fit, the newest first", () => {
  expect(currentWorkIn(32_000)).toContain(
    "- The last calls, newest first:\n  - m80.0 `Read: src/module_39.ts`\n  - m78.0 `Read: src/module_38.ts`",
  );
});
