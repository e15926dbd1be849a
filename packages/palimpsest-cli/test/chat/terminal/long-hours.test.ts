/** A chat that is open for hours keeps no more than one that was opened just now: things are counted, not bytes. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ChatView, type ViewItem } from "#chat/terminal/chat-view.ts";
import { DrawnItems } from "#chat/terminal/drawn-items.ts";
import { FileLedger } from "#chat/tools/file-ledger.ts";
import { createStyles } from "#terminal/styles.ts";

const call = { id: "c1", name: "shell", input: { command: "npm test" } };
const caller = { sessionId: "s1", isSubAgent: false };

describe("a chat of many turns", () => {
  it("keeps the lines of a few screens", async () => {
    const view = new ChatView(
      () => 0,
      () => "s1",
    );
    const layout = { columns: 80, rows: 30, styles: createStyles({ isColored: false }) };
    const drawn = new DrawnItems(view.items as ViewItem[], () => undefined);
    let most = 0;
    for (let turn = 1; turn <= 2_000; turn++) {
      view.add({ type: "user", text: `Go on with part ${turn}.` });
      view.onEvent({ type: "turn-started", input: "" });
      view.onEvent({ type: "tool-started", call, ...caller });
      view.onEvent({ type: "tool-ended", call, output: "ok", isError: false, tookMs: 1, ...caller });
      view.onEvent({ type: "model", event: { type: "text", text: "It is done.\n\nAll of it." } });
      view.onEvent({ type: "turn-failed", error: new Error("x"), isAborted: true });
      drawn.lines([], layout);
      await nextTurn();
      most = Math.max(most, view.items.length);
    }
    expect(most).toBeLessThan(300);
    expect(view.busy).toBeUndefined();
  });

  it("forgets what agents have read that ended long ago", () => {
    const ledger = new FileLedger();
    const state = { bytes: 1, modifiedAt: 1 };
    for (let agent = 0; agent < 1_000; agent++) {
      ledger.saw(`agent ${agent}`, "/a.ts", state);
      ledger.saw("chat", "/a.ts", state);
    }
    const known = Array.from({ length: 1_000 }, (_, agent) => `agent ${agent}`).filter(
      (agent) => ledger.problemWith(agent, "/a.ts", state) === undefined,
    );
    expect(known.length).toBeLessThan(70);
    expect(ledger.problemWith("chat", "/a.ts", state)).toBeUndefined();
  });
});
