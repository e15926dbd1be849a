/** Memories and receipts in words, safe for a terminal. */
import { showHidden, showOnOneLine } from "palimpsest/internal";
import type { ListedMemory, MemoryReceipt } from "palimpsest/memory";
import { printJson } from "../terminal/print-json.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { MEMORY_JSON_VERSION } from "./memory-place.ts";

/** What a memory is, where it comes from, and whether a model may be shown it. */
export function factsOf({ type, source, isConfirmed, decays, state, supersededBy }: ListedMemory): string {
  const origin = source === "user" ? "said by a user" : `from ${source}`;
  return [
    ...(type === undefined ? [] : [type]),
    origin,
    ...(isConfirmed && source !== "user" ? ["confirmed"] : []),
    ...(decays ? [] : ["does not age"]),
    ...(state === "superseded" ? [`superseded by ${showOnOneLine(supersededBy ?? "")}`] : []),
    ...(state === "quarantined" ? ["quarantined"] : []),
  ].join(", ");
}

/** Prints what one call did. A rejection is no success. */
export function printReceipt(
  receipt: MemoryReceipt,
  isJson: boolean | undefined,
  context: CliContext,
): number {
  const { out, err } = context;
  if (isJson === true) printJson(out, { version: MEMORY_JSON_VERSION, ...receipt });
  else {
    const { status, path, reason, cleaned, warnings } = receipt;
    out.write(`${path === undefined ? status : `${status} ${showOnOneLine(path)}`}\n`);
    err.write(`${err.styles.dim(showOnOneLine(reason))}\n`);
    if (cleaned.length > 0) err.write(`${err.styles.yellow(`Taken out: ${cleaned.join(", ")}.`)}\n`);
    for (const warning of warnings) err.write(`${err.styles.yellow(showHidden(warning))}\n`);
  }
  return receipt.status === "rejected" ? 1 : 0;
}
