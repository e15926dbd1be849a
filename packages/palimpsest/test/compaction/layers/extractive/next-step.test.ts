/** Section 9 of a summary from the log: the request that is being worked on stands last, in the user's words. */
import { describe, expect, it } from "vitest";
import { planExtractiveCompact } from "#compaction/layers/extractive/extractive-summary.ts";
import { extractivePolicy } from "#compaction/planner/policies.ts";
import { digestOf } from "#test/helpers/digests.ts";
import { blockText, type Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import { assistant, call, measure, result, text, user } from "../../../../../../test/helpers/windows.ts";

const earlier: readonly Message[] = [user("What is the port?"), assistant("r", text("It is 8080."))];
const request = user("Change the port to 9090 in every module.");
const LINE = `- The user's latest request, open (m3.0): "Change the port to 9090 in every module."`;

function reads(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index): readonly Message[] => [
    assistant(`r${index}`, call(`c${index}`, "Read", { file_path: `src/module_${index}.ts` })),
    result(`c${index}`, "some line of code here\n".repeat(130)),
  ]).flat();
}

function nextStepIn(messages: readonly Message[], editSafety: "strict" | "permissive"): string {
  const windowTokens = 32_000;
  const situation = { effectiveTokens: windowTokens * 0.9, pendingCallIds: [] };
  const policy = extractivePolicy({ ...situation, windowTokens, editSafety });
  const digest = digestOf(messages);
  const input = { visible: asWindow(messages), digest, measure, policy, pendingCallIds: [] };
  const edit = planExtractiveCompact({ ...input, reason: "threshold" })!;
  const summary = edit.effect.insert![0]!.messages[0]!.content.map(blockText).join("\n");
  return /## 9\. Optional Next Step\n([\s\S]*?)\n\n/.exec(summary)![1]!;
}

describe("The next step", () => {
  it.each(["strict", "permissive"] as const)("names the request in whose middle it is (%s)", (editSafety) => {
    expect(nextStepIn([...earlier, request, ...reads(40)], editSafety)).toContain(LINE);
  });

  it("names no request that is answered", () => {
    const messages = [...earlier, request, ...reads(40), assistant("end", text("All of them say 9090."))];
    expect(nextStepIn(messages, "strict")).not.toContain("latest request, open");
  });

  it("names no request that the user cut short", () => {
    const messages = [...earlier, request, ...reads(40), user("[Request interrupted by user]")];
    expect(nextStepIn(messages, "strict")).not.toContain("latest request, open");
  });

  it("names no request that follows to the letter", () => {
    const messages = [...earlier, ...reads(40), request];
    expect(nextStepIn(messages, "permissive")).not.toContain("latest request, open");
  });
});
