import fc from "fast-check";
import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import type { Hasher } from "#ports/runtime.ts";
import { writeInSteps } from "#session/append/blob-offloader.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds, systemClock } from "#stores/platform/node-ports.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const LINE = 'a "line"\twith \\ and \u2028, 😀 and half of one \ud83d\n';

it("writes the letters that JSON.stringify writes, however the text is cut", () => {
  const part = fc.oneof(fc.constant(LINE), fc.string({ unit: anyCharacter, maxLength: 20 }));
  fc.assert(
    fc.property(part, fc.nat({ max: 40 }), fc.boolean(), (text, shift, isError) => {
      const content = `${"x".repeat(shift)}${`${text}😀`.repeat(Math.ceil(500_000 / (text.length + 2)))}`;
      const block: ContentBlock = {
        ...{ type: "tool_result", tool_use_id: 'c"1', content },
        ...(isError ? { is_error: true } : {}),
      };
      expect(finish(writeInSteps(block)).join("") === JSON.stringify(block)).toBe(true);
    }),
    { numRuns: bySize({ usual: 8, long: 20 }) },
  );
});

it.each<ContentBlock>([
  { type: "text", text: "short" },
  { type: "tool_use", id: "1", name: "Read", input: { path: "a" } },
  { type: "text", text: "y".repeat(400_000), cache_control: undefined } as ContentBlock,
])("writes any block like it", (block) => {
  expect(finish(writeInSteps(block)).join("")).toBe(JSON.stringify(block));
});

it("takes a step for each piece of a long text", () => {
  expect([...writeInSteps({ type: "text", text: "y".repeat(1_000_000) })].length).toBeGreaterThan(4);
});

it("hashes and stores a long block in parts, none of which takes long, as it would store the whole", async () => {
  const hashed: number[] = [];
  const hasher: Hasher = {
    sha256: (text) => {
      hashed.push(text.length);
      return nodeHasher.sha256(text);
    },
    inParts: () => {
      const hash = nodeHasher.inParts!();
      return {
        ...hash,
        add: (part) => {
          hashed.push(part.length);
          hash.add(part);
        },
      };
    },
  };
  const store = new InMemorySessionStore();
  const session = await createSession({ store, clock: systemClock, ids: randomIds, hasher });
  const block: ContentBlock = { type: "tool_result", tool_use_id: "c", content: LINE.repeat(40_000) };
  await session.append([
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "Bash", input: {} }] },
    { role: "user", content: [block] },
  ]);
  const whole = JSON.stringify(block);
  const log = await store.open(session.id);
  expect((await log.getBlob(nodeHasher.sha256(whole))) === whole).toBe(true);
  expect(hashed.length).toBeGreaterThan(5);
  expect(Math.max(...hashed)).toBeLessThan(500_000);
  await session.close();
});
