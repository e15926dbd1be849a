/** `palimpsest memory audit`: what rots in a memory directory, and what should not be there. */
import type { Command } from "commander";
import { showOnOneLine } from "palimpsest/internal";
import type { MemoryHealth } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import { addMemoryOptions, MEMORY_JSON_VERSION, type MemoryFlags, withMemory } from "./memory-place.ts";

/** Exit code if there are findings that a person should look at. */
const FOUND = 3;

export function addAudit(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("audit")
    .description("find duplicates, contradictions, unused memories, keys in files; changes nothing");
  addMemoryOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["memory audit", "memory audit --json"],
        exitCodes: { [FOUND]: "there are findings" },
      }),
    )
    .action(async (flags: MemoryFlags) => exitWith(await runAudit(flags, context)));
}

async function runAudit(flags: MemoryFlags, context: CliContext): Promise<number> {
  const health = await withMemory(flags, context, (memory) => memory.audit());
  if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, ...health });
  else print(health, context);
  return health.findings.length === 0 ? 0 : FOUND;
}

function print({ counts, findings }: MemoryHealth, { out }: CliContext): void {
  const { memories, active, superseded, quarantined, neverRecalled, unconfirmed } = counts;
  const { styles } = out;
  for (const { kind, paths, detail } of findings)
    out.write(`${styles.yellow(kind)} ${paths.map(showOnOneLine).join(", ")}: ${showOnOneLine(detail)}\n`);
  out.write(
    `${memories} memories: ${active} active, ${superseded} superseded, ${quarantined} quarantined. ` +
      `Active memories: ${neverRecalled} never recalled, ${unconfirmed} not confirmed.\n`,
  );
  if (findings.length === 0) out.write(`${styles.green("Nothing to complain of.")}\n`);
}
