/**
 * Checks the id of a new session: ids that shells, file systems or JavaScript treat specially are refused.
 *
 * Only new sessions are checked. A session that has such an id already can still be opened, listed and deleted.
 */
import { OptionError } from "./errors.ts";
import { shorten } from "./text/text.ts";

/** Device names on Windows, with or without a file extension: `CON.jsonl` opens the console. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Returns why an id should not be given to a new session; `undefined` if it may. */
export function whyNoNewId(id: string): string | undefined {
  if (id.startsWith("-")) return "begins with -, so that shells take it for an option";
  if (id.endsWith(".")) return "ends with a full stop, which Windows leaves out of file names";
  if (DEVICE.test(id)) return "is the name of a device on Windows";
  if (id in Object.prototype) return "is a property of every JavaScript object";
  return undefined;
}

/** @throws `OptionError` if no new session may have this id. */
export function checkNewSessionId(id: unknown): void {
  const why = typeof id === "string" ? whyNoNewId(id) : undefined;
  if (why === undefined) return;
  throw new OptionError({
    message: `A new session cannot have the id ${JSON.stringify(shorten(id as string, 60))}: it ${why}.`,
    hint: "Put a letter in front of it, or leave it out for a random id. Sessions that have such an id already can be opened.",
  });
}
