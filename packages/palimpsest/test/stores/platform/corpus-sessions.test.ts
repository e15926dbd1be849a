/** Recorded sessions of several agents, line by line as text, through a file on a real disk and back. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { message } from "#test/fault/workload.ts";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const BLOB_CHARACTERS = 20_000;
const FILES_OF_A_FORMAT = bySize({ usual: 1, long: 4 });
const FORMATS = ["claude-code", "pi", "openai-chat", "anthropic-messages"] as const;

describe.skipIf(!hasCorpus)("recorded sessions (skipped where there is no corpus)", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "palimpsest-corpus-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each(FORMATS)("come back to the letter, large lines as blobs: %s", async (format) => {
    const files = corpusFiles(format).slice(0, FILES_OF_A_FORMAT);
    expect(files.length).toBeGreaterThan(0);
    const store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
    for (const [index, file] of files.entries()) {
      const id = `${format}-${index}`;
      const lines = readFileSync(file.path, "utf8").split("\n");
      const isLarge = (line: string) => line.length > BLOB_CHARACTERS;
      const log = await store.create(id);
      for (const line of lines.filter(isLarge)) await log.putBlob(nodeHasher.sha256(line), line);
      const texts = lines.map((line) => (isLarge(line) ? nodeHasher.sha256(line) : line));
      for (let seq = 1; seq <= texts.length; seq += 3)
        await log.append(texts.slice(seq - 1, seq + 2).map((text, offset) => message(seq + offset, text)));
      await log.sync();
      await log.close();

      const again = await store.open(id);
      const found: string[] = [];
      for await (const { entries, damage } of again.readAll()) {
        expect(damage).toEqual([]);
        for (const { entry } of entries)
          if (entry.type === "message" && entry.content[0]?.type === "text")
            found.push(entry.content[0].text);
      }
      expect(found).toEqual(texts);
      for (const line of lines.filter(isLarge))
        expect((await again.getBlob(nodeHasher.sha256(line))) === line).toBe(true);
      await again.close();
    }
  });
});
