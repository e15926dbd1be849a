/** Which lines of an index go where it is full, and when none does. */
import { expect, it } from "vitest";
import { aPersistentMemory, DAY_MS, put } from "#test/agent/memory/a-persistent-memory.ts";

const INDEX = "MEMORY.md";
const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `- [${name} ${at}](${name}-${at}.md) — a line\n`).join("");

async function indexOf({ store }: ReturnType<typeof aPersistentMemory>): Promise<string> {
  return (await store.read(INDEX))?.text ?? "";
}

it("takes out lines that lead nowhere before those of memories, however old these are", async () => {
  const staged = aPersistentMemory();
  await staged.memory.remember("The release branch is called trunk.");
  await put(staged.store, INDEX, (await indexOf(staged)) + lines(199, "gone"));
  staged.clock.nowMs += 300 * DAY_MS;
  const { warnings } = await staged.memory.remember("The office is in Oslo.");
  const text = await indexOf(staged);
  expect(text).toContain("(the-release-branch-is-called-trunk.md)");
  expect(text).toContain("(the-office-is-in-oslo.md)");
  expect(text.match(/\(gone-/g)).toHaveLength(194);
  expect(warnings).toHaveLength(1);
});

it("keeps the lines of what is there and cannot be used", async () => {
  const staged = aPersistentMemory();
  await put(staged.store, "architect/MEMORY.md", "Somebody's own notes.\n");
  const theirs = "- [Architect](architect/MEMORY.md) — an index of its own\n";
  await put(staged.store, INDEX, lines(199, "gone") + theirs);
  await staged.memory.remember("The office is in Oslo.");
  expect(await indexOf(staged)).toContain(theirs);
});

it("shortens nobody's index for taking one line out of it", async () => {
  const staged = aPersistentMemory();
  await staged.memory.remember("The office is in Oslo.");
  const theirs = `# Written by hand\n\n${lines(400, "theirs")}`;
  await put(staged.store, INDEX, theirs + (await indexOf(staged)));
  const receipt = await staged.memory.forget("the-office-is-in-oslo.md");
  const text = await indexOf(staged);
  expect(text.startsWith(theirs)).toBe(true);
  expect(text).not.toContain("oslo");
  expect(receipt.warnings).toEqual([]);
});
