/**
 * A kind of damage: a name, what happened, and a function that does it to a sound session.
 *
 * Where the damage is in what a line means, its checksum is made right again, so that it gets past
 * the first gate. The framing is written down here once more, so that it is not judged by itself.
 */
import { crc32 } from "node:zlib";
import { CONVERSATION, type Stored } from "./sound-session.ts";

export interface Expected {
  /** Words that may be lost: those of the record that was damaged. */
  readonly costs?: readonly string[];
  /** Why there is nothing to report, where there is not. */
  readonly quiet?: string;
  /** Nothing is left that could be sent: something has to be said first. */
  readonly isEmpty?: true;
}

export interface Kind extends Expected {
  readonly name: string;
  /** Affected layer: a chapter of the table. */
  readonly level: Level;
  /** The damage, in words. */
  readonly what: string;
  /** Needs a session with a checkpoint. */
  readonly needsCheckpoint?: true;
  /** Damages what is stored … */
  readonly damage?: (stored: Stored) => Stored;
  /** … or is what a host hands over. */
  readonly messages?: readonly unknown[];
}

export type Level =
  | "bytes"
  | "lines"
  | "entries"
  | "blocks"
  | "edits and checkpoints"
  | "blobs"
  | "conversation";

/** A line as it lies in the log, taken apart. */
export type Fields = Record<string, unknown>;

export function linesOf(log: Buffer): string[] {
  return log.toString("utf8").split("\n").slice(0, -1);
}

export function logOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""), "utf8");
}

export function parseFields(line: string): Fields {
  const { crc: _, batch: __, ...fields } = JSON.parse(line) as Fields;
  return fields;
}

/** One line of the log around `json`, with a checksum that is right. */
export function frame(fields: Fields | string): string {
  const json = typeof fields === "string" ? fields : JSON.stringify(fields);
  const body = json.slice(1);
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}`;
}

export function bytesKind(
  name: string,
  what: string,
  damage: (log: Buffer) => Buffer,
  expected: Expected = {},
): Kind {
  return {
    name,
    level: "bytes",
    what,
    ...expected,
    damage: (stored) => ({ ...stored, log: damage(stored.log) }),
  };
}

export function linesKind(
  name: string,
  what: string,
  damage: (lines: string[]) => readonly string[],
  expected: Expected = {},
): Kind {
  return {
    name,
    level: "lines",
    what,
    ...expected,
    damage: (stored) => ({ ...stored, log: logOf(damage(linesOf(stored.log))) }),
  };
}

/** Changes or replaces any entries; formats every line again. */
export function entriesKind(
  name: string,
  what: string,
  change: (entries: Fields[]) => unknown,
  expected: Expected & { readonly level?: Level; readonly needsCheckpoint?: true } = {},
): Kind {
  const damage = (stored: Stored): Stored => {
    const entries = withPositions(linesOf(stored.log).map(parseFields)) as Fields[];
    const returned = change(entries);
    const changed = Array.isArray(returned) ? (returned as readonly (Fields | string)[]) : entries;
    const lines = expected.needsCheckpoint === true ? changed : withPositions(changed);
    return { ...stored, log: logOf(lines.map(frame)) };
  };
  return { name, what, level: "entries", ...expected, damage };
}

/** The entries with checkpoints that have the positions of the newly formatted lines. */
function withPositions(entries: readonly (Fields | string)[]): readonly (Fields | string)[] {
  const positions = new Map<unknown, number>();
  let end = 0;
  return entries.map((entry) => {
    const isCheckpoint = typeof entry !== "string" && entry["type"] === "checkpoint";
    const moved = isCheckpoint ? { ...entry, runs: movedRuns(entry["runs"], positions) } : entry;
    if (typeof entry !== "string") positions.set(entry["seq"], end);
    end += Buffer.byteLength(frame(moved)) + 1;
    return moved;
  });
}

function movedRuns(runs: unknown, positions: ReadonlyMap<unknown, number>): unknown {
  return (runs as Fields[]).map((run) => ({
    ...run,
    position: positions.get(run["from"]) ?? run["position"],
  }));
}

/** The content of the message that holds the word. */
export function blocksKind(
  name: string,
  what: string,
  mark: string,
  change: (content: Fields[], entry: Fields) => void,
  expected: Expected = {},
): Kind {
  const changeIt = (entries: Fields[]): void => {
    const entry = messageWith(entries, mark);
    change(contentOf(entry), entry);
  };
  return entriesKind(name, what, changeIt, { level: "blocks", ...expected });
}

export function contentOf(message: Fields): Fields[] {
  return message["content"] as Fields[];
}

export function messageWith(entries: readonly Fields[], mark: string): Fields {
  return entries.find(
    (entry) => entry["type"] === "message" && JSON.stringify(entry["content"]).includes(mark),
  )!;
}

/** A conversation that a host passes instead of the sound one. */
export function conversationKind(
  name: string,
  what: string,
  change: (messages: Fields[]) => unknown,
  expected: Expected = {},
): Kind {
  const messages = structuredClone(CONVERSATION) as unknown as Fields[];
  const returned = change(messages);
  const changed = Array.isArray(returned) ? (returned as readonly unknown[]) : messages;
  return { name, level: "conversation", what, ...expected, messages: changed };
}
