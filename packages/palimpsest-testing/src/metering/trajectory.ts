/**
 * A trajectory: a recorded session as the measurement sees it, message by message, with what each
 * assistant message used that had been seen before.
 *
 * A *reference* is a distinctive string that an assistant message or its tool calls use and that
 * an earlier message had. It survives if the window still shows it at that moment; no answer has to be
 * judged for that.
 */
import type { Message } from "palimpsest";
import { findMetricStrings } from "./metric-strings.ts";

/** Shortest string that counts as a reference, in characters. Our choice. */
const REFERENCE_CHARACTERS = 4;
/** Strings in more than this share of the messages carry no information. Our choice. */
const COMMON_SHARE = 0.15;
/** … or in more than this many, whichever is more. Our choice. */
const COMMON_MESSAGES = 12;

/** The author of a message: `note` is a message that a tool or a host put in around the agent. */
export type Author = "user" | "assistant" | "tool" | "note";

/** A message of a recording, before references are known. */
export interface RecordedMessage {
  readonly message: Message;
  /** The recorded messages that it was joined from; absent where it was not made from a session. */
  readonly parts?: readonly Message[];
  readonly author: Author;
  /** The tool that answered. */
  readonly tool?: string;
  /** Text and arguments: where strings are looked for. */
  readonly text: string;
  /** Arguments of its calls alone. */
  readonly argumentsText: string;
  readonly tokens: number;
  readonly atMs: number;
}

/** A string that a message uses and that was seen before. */
export interface Reference {
  readonly text: string;
  /** Index of the message that held it last. */
  readonly source: number;
  /** Tokens between that message and this one. */
  readonly distanceTokens: number;
}

export interface TrajectoryMessage extends RecordedMessage {
  readonly strings: ReadonlySet<string>;
  /** For assistant messages; empty for all others. */
  readonly references: readonly Reference[];
}

export interface Trajectory {
  readonly name: string;
  readonly model: string;
  /** System prompt and tools, which every request carries. */
  readonly fixedTokens: number;
  readonly messages: readonly TrajectoryMessage[];
  /** Per message, the tokens of all messages before it; one more than there are messages. */
  readonly tokensBefore: readonly number[];
  /** All messages together, without the fixed part. */
  readonly tokens: number;
}

/** Finds the references of a recording. */
export function makeTrajectory(recording: {
  readonly name: string;
  readonly model: string;
  readonly fixedTokens: number;
  readonly messages: readonly RecordedMessage[];
}): Trajectory {
  const tokensBefore = [0];
  for (const { tokens } of recording.messages) tokensBefore.push(tokensBefore.at(-1)! + tokens);
  const strings = recording.messages.map(({ text }) => findMetricStrings(text));
  const isCommon = commonStrings(strings);
  const lastSeen = new Map<string, number>();
  const messages = recording.messages.map((message, index): TrajectoryMessage => {
    const own = strings[index]!;
    const references: Reference[] = [];
    if (message.author === "assistant")
      for (const text of own) {
        const source = lastSeen.get(text);
        if (source === undefined || text.length < REFERENCE_CHARACTERS || isCommon(text)) continue;
        references.push({
          text,
          source,
          distanceTokens: tokensBefore[index]! - tokensBefore[source + 1]!,
        });
      }
    for (const text of own) lastSeen.set(text, index);
    return { ...message, strings: own, references };
  });
  return { ...recording, messages, tokensBefore, tokens: tokensBefore.at(-1)! };
}

function commonStrings(strings: readonly ReadonlySet<string>[]): (text: string) => boolean {
  const counts = new Map<string, number>();
  for (const own of strings) for (const text of own) counts.set(text, (counts.get(text) ?? 0) + 1);
  const limit = Math.max(COMMON_MESSAGES, strings.length * COMMON_SHARE);
  return (text) => counts.get(text)! >= limit;
}
