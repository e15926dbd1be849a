/** Notices of tasks as the agent got them, and as the journal has them. */
import { join } from "node:path";
import { folderStore } from "#palimpsest/host/folder-store.ts";

const SESSION = "work";

interface Counts {
  /** Messages of the log that tell the agent of the task: each end, message and prompt. */
  readonly reportedCount: number;
  /** Notices that the journal has. */
  readonly noticesCount: number;
}

/** Counts by the id of the task, for the session of a host that is not open. */
export async function countNotices(folder: string): Promise<Readonly<Record<string, Counts>>> {
  const log = await folderStore(join(folder, "sessions")).open(SESSION);
  const texts: string[] = [];
  for await (const { entries } of log.readAll())
    for (const { entry } of entries)
      if (entry.type === "message" && entry.origin === "engine")
        for (const block of entry.content) if (block.type === "text") texts.push(block.text);
  const records = log.tasks!.readJournal().lines.map((line) => JSON.parse(line));
  await log.close();
  const ids = new Set<string>(records.map(({ id }) => id));
  const counts = [...ids].map((id): [string, Counts] => {
    const reported = new RegExp(`^Task ${id} \\(.*\\) (?:ended|failed|was|says|waits)`, "gm");
    const numbers = records.filter((record) => record.id === id && "no" in record).map(({ no }) => no);
    return [
      id,
      { reportedCount: texts.join("\n").match(reported)?.length ?? 0, noticesCount: new Set(numbers).size },
    ];
  });
  return Object.fromEntries(counts);
}
