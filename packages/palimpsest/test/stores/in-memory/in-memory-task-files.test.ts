import { taskFilesContract } from "palimpsest-testing/internal";
import { describe, it } from "vitest";
import { InMemoryTaskFiles } from "#stores/in-memory/in-memory-task-files.ts";

describe("the files of tasks in memory", () => {
  for (const { name, run } of taskFilesContract)
    it(name, async () => {
      const files = new InMemoryTaskFiles();
      await run({ files, reopen: () => files });
    });
});
