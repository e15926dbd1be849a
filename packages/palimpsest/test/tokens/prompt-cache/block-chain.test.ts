import fc from "fast-check";
import { anyMessage } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { text } from "#test/helpers/histories.ts";
import {
  BlockChain,
  type BlockView,
  countSameBlocks,
  numberOfBlock,
  placeOfBlock,
} from "#tokens/prompt-cache/block-chain.ts";
import type { RequestMessage } from "#transcript/window.ts";

const message = anyMessage().map(({ role, content }): RequestMessage => ({ role, content }));
const conversation = fc.array(message, { maxLength: 8 });

/** The common beginning of two requests, counted block by block. */
function sameByText(before: readonly RequestMessage[], after: readonly RequestMessage[]): number {
  const flat = (list: readonly RequestMessage[]): readonly string[] =>
    list.flatMap(({ role, content }) => content.map((block) => `${role}${JSON.stringify(block)}`));
  const [one, other] = [flat(before), flat(after)];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same;
}

type Step =
  | { readonly do: "add"; readonly messages: readonly RequestMessage[] }
  | { readonly do: "grow" | "change"; readonly at: number; readonly message: RequestMessage }
  | { readonly do: "copy" }
  | { readonly do: "cut"; readonly at: number };

/** The change from the request before. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("add" as const), messages: conversation }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("grow" as const, "change" as const), at: fc.nat(), message }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("copy" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), at: fc.nat() }) },
);

function next(list: readonly RequestMessage[], one: Step): readonly RequestMessage[] {
  switch (one.do) {
    case "add":
      return [...list, ...one.messages];
    case "grow":
      return list.map((old, index) =>
        index === list.length - 1 ? { ...old, content: [...old.content, ...one.message.content] } : old,
      );
    case "change":
      return list.map((old, index) => (index === one.at % list.length ? one.message : old));
    case "copy":
      return structuredClone(list) as readonly RequestMessage[];
    case "cut":
      return list.slice(0, one.at % (list.length + 1));
  }
}

describe("BlockChain", () => {
  it("finds what any two requests have in common, however one came from the other", () => {
    fc.assert(
      fc.property(conversation, fc.array(step, { maxLength: 8 }), (first, steps) => {
        const chain = new BlockChain();
        const requests: { list: readonly RequestMessage[]; view: BlockView }[] = [];
        let list: readonly RequestMessage[] = first;
        requests.push({ list, view: chain.view(list) });
        for (const one of steps) {
          list = next(list, one);
          requests.push({ list, view: chain.view(list) });
        }
        for (const before of requests)
          for (const after of requests)
            expect(countSameBlocks(before.view, after.view)).toBe(sameByText(before.list, after.list));
      }),
    );
  });

  it("tells the same block object said by the user from one said by the assistant", () => {
    const shared = text("said by both");
    const chain = new BlockChain();
    const asUser = chain.view([{ role: "user", content: [shared] }]);
    const asAssistant = chain.view([{ role: "assistant", content: [shared] }]);
    const copied = chain.view([{ role: "assistant", content: [{ ...shared }] }]);
    expect(countSameBlocks(asUser, asAssistant)).toBe(0);
    expect(countSameBlocks(asAssistant, copied)).toBe(1);
  });

  it("knows the place of each block by its number, and its number by its place", () => {
    fc.assert(
      fc.property(conversation, (list) => {
        const view = new BlockChain().view(list);
        const places = list.flatMap(({ content }, message) =>
          content.map((_, block) => ({ message, block })),
        );
        expect(view.blockCount).toBe(places.length);
        places.forEach((place, index) => {
          expect(placeOfBlock(view, index)).toEqual(place);
          expect(numberOfBlock(view, place)).toBe(index);
        });
      }),
    );
  });

  it("hashes what is new, not what was seen", () => {
    let readCount = 0;
    const watched = (): RequestMessage => {
      const toJSON = (): string => {
        readCount++;
        return "said";
      };
      const block = { ...text("said"), toJSON };
      return { role: "user", content: [block] };
    };
    const chain = new BlockChain();
    const list = Array.from({ length: 50 }, watched);
    chain.view(list);
    for (let call = 0; call < 20; call++) chain.view([...list, ...Array.from({ length: call }, watched)]);
    // 50 at first, and 0 + 1 + … + 19 new ones.
    expect(readCount).toBe(50 + 190);
  });

  it("tells a block that cannot be written by its type", () => {
    const block = {
      type: "text",
      text: "deep",
      toJSON: () => {
        throw new RangeError("too deep");
      },
    } as never;
    const view = new BlockChain().view([{ role: "user", content: [block] }]);
    expect(view.blockCount).toBe(1);
  });
});
