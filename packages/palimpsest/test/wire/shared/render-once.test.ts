/** A look at every message of a conversation reads the new ones, and sees every change. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestMessage } from "#transcript/window.ts";
import { eachOnce } from "#wire/shared/render-once.ts";

const message = (text: string): RequestMessage => ({ role: "user", content: [{ type: "text", text }] });

/** A look that counts, and returns the message itself. */
function counted() {
  let count = 0;
  const look = eachOnce((one) => {
    count++;
    return one;
  });
  return { look, count: () => count };
}

describe("eachOnce", () => {
  it("looks at no message a second time while the conversation grows", () => {
    const { look, count } = counted();
    const messages = Array.from({ length: 1_000 }, (_, index) => message(`${index}`));
    for (let length = 1; length <= messages.length; length++) look(messages.slice(0, length));
    expect(count()).toBe(1_000);
  });

  it("sees a message that the caller exchanged in its own list", () => {
    const { look } = counted();
    const messages = [message("a"), message("b")];
    look(messages);
    messages[1] = message("c");
    messages.push(message("d"));
    expect(look(messages)).toEqual(messages);
  });

  it("finds the same for any lists of messages, in any order", () => {
    const pool = Array.from({ length: 5 }, (_, index) => message(`${index}`));
    const lists = fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 8 }), { maxLength: 10 });
    fc.assert(
      fc.property(lists, (some) => {
        const { look } = counted();
        for (const list of some) expect(look(list)).toEqual(list);
      }),
    );
  });
});
