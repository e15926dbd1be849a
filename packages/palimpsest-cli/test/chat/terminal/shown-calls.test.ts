/** Calls of tools on the screen: what they change, and those that no tool of the chat ran. */
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "#chat/base/chat-events.ts";
import { ChatView } from "#chat/terminal/chat-view.ts";
import { questionTitle } from "#chat/terminal/dialogs.ts";
import { itemLines } from "#chat/terminal/render-view.ts";
import { createStyles } from "#terminal/styles.ts";

const PLAIN = createStyles({ isColored: false });
const call = { id: "c1", name: "shell", input: { command: "npm test" } };
const caller = { sessionId: "s1", isSubAgent: false };
const started: ChatEvent = { type: "turn-started", input: "Hi" };

/** The lines of a view after these events. */
function linesAfter(events: readonly ChatEvent[]): readonly string[] {
  const view = new ChatView(
    () => 0,
    () => "s1",
  );
  for (const event of events) view.onEvent(event);
  return view.items.flatMap((item) => itemLines(item, { columns: 60, styles: PLAIN }));
}

describe("the calls of a turn", () => {
  it("shows what a change takes away and adds, before it is allowed and once it is made", () => {
    const input = { path: "a.ts", old_string: "one\ntwo\nthree", new_string: "one\nzwei\nthree" };
    const edit = { id: "e1", name: "edit", input };
    const asked = { call: edit, what: "change a.ts", rule: "edit", ...caller };
    const title = questionTitle(asked, { columns: 60, styles: PLAIN });
    expect(title).toEqual(["May I do this?", "  change a.ts", "  - two", "  + zwei"]);
    const ended = { type: "tool-ended", tookMs: 5, ...caller } as const;
    const content = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n");
    const write = { id: "w1", name: "write", input: { path: "b.ts", content } };
    const above = linesAfter([
      started,
      { ...ended, call: edit, output: "Changed a.ts.", isError: false },
      { ...ended, call: write, output: "Made b.ts.", isError: false },
      { ...ended, call: edit, output: "It changed since.", isError: true },
    ]);
    expect(above.slice(0, 7)).toEqual([
      "",
      "● edit a.ts",
      "  - two",
      "  + zwei",
      "",
      "● write b.ts",
      "  + line 1",
    ]);
    expect(above.slice(-5)).toEqual([
      "  + line 16",
      "  … 4 more lines",
      "",
      "● edit a.ts",
      "  It changed since.",
    ]);
  });

  it("shows calls that no tool of the chat ran: of the session's own tools, and with wrong arguments", () => {
    const use = (id: string, name: string) =>
      ({ type: "tool_use", id, name, input: { query: "tide" } }) as const;
    const result = (id: string, name: string, content: string, isError: boolean): ChatEvent => {
      const block = { type: "tool_result", tool_use_id: id, content } as const;
      return { type: "model", event: { type: "tool-result", call: use(id, name), isError, result: block } };
    };
    const above = linesAfter([
      started,
      result("h1", "history_search", "2 hits", false),
      result("g1", "grep", "`pattern` is missing.", true),
      { type: "tool-started", call, ...caller },
      { type: "tool-ended", call, output: "ok", isError: false, tookMs: 5, ...caller },
      result("c1", "shell", "ok", false),
    ]);
    expect(above).toEqual([
      ...["", "● history_search tide", "  2 hits"],
      ...["", "● grep tide", "  `pattern` is missing."],
      ...["", "● shell npm test", "  ok"],
    ]);
  });
});
