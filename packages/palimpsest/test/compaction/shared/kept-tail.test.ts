import { describe, expect, it } from "vitest";
import { findCuts } from "#compaction/shared/kept-tail.ts";
import { assistant, call, result, TestLog, user } from "#test/helpers/histories.ts";
import type { Message } from "#transcript/blocks.ts";
import { project } from "#transcript/projection.ts";

function cutsOf(messages: readonly Message[]): readonly number[] {
  const log = new TestLog();
  for (const message of messages) log.message(message);
  return findCuts(project(log.entries).visible);
}

describe("places to cut", () => {
  it("are never between a server tool's program, the calls that it made, and its output", () => {
    const program = { type: "server_tool_use", id: "p", name: "code_execution", input: {} } as const;
    const made = (id: string) => ({ ...call(id), caller: { type: "code_execution", tool_id: "p" } });
    const output = { type: "code_execution_tool_result", tool_use_id: "p", content: {} } as const;
    const begun = [
      user("a"),
      assistant("r1", program, made("1")),
      user(result("1")),
      assistant("r2", made("2")),
      user(result("2")),
    ];
    expect(cutsOf(begun)).toEqual([1]);
    expect(cutsOf([...begun, assistant("r3", output, "done"), user("b")])).toEqual([1, 6]);
  });
});
