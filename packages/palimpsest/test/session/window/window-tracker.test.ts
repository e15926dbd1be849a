/** The window that is kept up to date equals the one that is computed from scratch. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WindowTracker } from "#session/window/window-tracker.ts";
import { call, result, text } from "#test/helpers/histories.ts";
import { UsageLedger } from "#tokens/count/usage-ledger.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { checkRequest } from "#transcript/invariants.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const tracker = (): WindowTracker => new WindowTracker(new UsageLedger({ model: "claude-opus-4-5" }));
const inOrder = (broken: readonly object[]): readonly string[] =>
  broken.map((one) => JSON.stringify(one, ["message", "rule", "callId"])).sort();

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.constantFrom("a", "b", "c", "d").map((id) => call(id)),
  fc.constantFrom("a", "b", "c", "d").map((id) => result(id)),
  fc.constantFrom("words", "", "\ud800").map(text),
  fc.constant<ContentBlock>({ type: "compaction", content: "earlier" }),
  fc.constant<ContentBlock>({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
);
const message: fc.Arbitrary<RequestMessage> = fc.record({
  role: fc.constantFrom("user", "assistant", "system"),
  content: fc.array(block, { maxLength: 3 }),
});
/** Changes of a request between two calls: messages join it, or one near its end is joined to. */
const change = fc.oneof(
  fc.record({ do: fc.constant("add" as const), messages: fc.array(message, { maxLength: 4 }) }),
  fc.record({ do: fc.constant("join" as const), back: fc.nat({ max: 3 }), with: block }),
);

describe("the check of a request that grows", () => {
  it("finds what a check of the whole request finds, however it grew", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const kept = tracker();
        let request: readonly RequestMessage[] = [];
        for (const one of changes) {
          if (one.do === "add") request = [...request, ...one.messages];
          else {
            const at = request.length - 1 - one.back;
            request = request.map((known, index) =>
              index === at ? { ...known, content: [...known.content, one.with] } : known,
            );
          }
          expect(inOrder(kept.findBroken(request))).toEqual(inOrder(checkRequest(request, "anthropic")));
        }
      }),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it("looks only at the end of a long request", () => {
    const kept = tracker();
    let reads = 0;
    const long = Array.from({ length: 1_000 }, (_, index): RequestMessage => {
      const role = index % 2 === 0 ? "user" : "assistant";
      const content = [text(`message ${index}`)];
      return Object.defineProperty({ role, content }, "content", {
        enumerable: true,
        get: () => {
          reads++;
          return content;
        },
      });
    });
    const longer = [...long, { role: "user", content: [text("new")] } as const];
    kept.findBroken(long);
    kept.findBroken(longer);
    reads = 0;
    kept.findBroken([...longer, { role: "assistant", content: [text("newer")] }]);
    expect(reads).toBeLessThan(30);
  });
});
