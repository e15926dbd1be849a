/**
 * The memory directory of a project: what the audit of its memories finds. A person decides about memories, so
 * nothing here is mended; `palimpsest memory` has the commands.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HealthKind } from "palimpsest/internal";
import { errorMessage } from "palimpsest/internal";
import { createMemory, memoryFolder } from "palimpsest/memory";
import type { DoctorFinding } from "./doctor-finding.ts";

/** What keeps memories from being of use, or should not be there. The rest is worth knowing. */
const PROBLEMS: ReadonlySet<HealthKind> = new Set([
  ...(["unreadable", "secret", "hidden-characters"] as const),
  ...(["index-too-large", "index-leads-nowhere", "lost-successor"] as const),
]);

/** @param folder - of the project; where it has no memory directory nothing is found, and nothing made */
export async function checkMemory(folder: string): Promise<readonly DoctorFinding[]> {
  const path = join(folder, "memory");
  if (!existsSync(path)) return [];
  const memory = createMemory({ store: memoryFolder(path) });
  try {
    const { findings } = await memory.audit();
    return findings.map(({ kind, paths, detail }) => ({
      kind: "memory",
      level: PROBLEMS.has(kind) ? "problem" : "note",
      path: join(path, paths[0] ?? ""),
      advice: `${kind}: ${paths.length > 1 ? `with ${paths.slice(1).join(", ")}: ` : ""}${detail}`,
      isMendable: false,
    }));
  } catch (error) {
    const advice = `it cannot be read: ${errorMessage(error)}`;
    return [{ kind: "memory", level: "problem", path, advice, isMendable: false }];
  } finally {
    await memory.close();
  }
}
