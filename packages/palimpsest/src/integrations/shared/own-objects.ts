/**
 * A framework gets its own objects back where the window shows them as they were: they have more to them than a converter
 * knows of, such as their class and their ids.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";

/** One object of a framework, and the blocks that it was read as. */
interface ReadObject<Native> {
  readonly native: Native;
  readonly blocks: readonly ContentBlock[];
}

/** Returns a function that finds the object that was read as just these blocks; of equal ones, each is found once. */
export function ownObjects<Native>(
  read: readonly ReadObject<Native>[],
): (blocks: readonly ContentBlock[]) => Native | undefined {
  const byText = new Map<string, Native[]>();
  for (const { native, blocks } of read) {
    const text = JSON.stringify(blocks);
    const known = byText.get(text);
    if (known === undefined) byText.set(text, [native]);
    else known.push(native);
  }
  return (blocks) => byText.get(JSON.stringify(blocks))?.shift();
}
