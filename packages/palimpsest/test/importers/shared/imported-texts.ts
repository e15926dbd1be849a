/** An imported session in few words. */
import { expect } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import { importSessions } from "#importers/registry.ts";
import type { ImportedBoundary, ImportedMessage } from "#importers/shared/imported-session.ts";

/** The session of a text, which is recognised as one of this format. */
export function sessionOf(format: string, text: string): ImportedSession {
  const { format: found, sessions } = importSessions({ name: "recorded.jsonl", text });
  expect(found).toBe(format);
  return sessions[0]!;
}

export const messagesIn = (session: ImportedSession): readonly ImportedMessage[] =>
  session.items.filter((item) => item.type === "message");

export const boundariesIn = (session: ImportedSession): readonly ImportedBoundary[] =>
  session.items.filter((item) => item.type === "boundary");

/** The conversation in short: who, and the texts or types of what was said. */
export const reported = (session: ImportedSession): readonly string[] =>
  session.items.flatMap((item) => {
    if (item.type !== "message") return item.type === "metadata" ? [] : [`-- ${item.type}`];
    const parts = item.message.content.map((block) => (block.type === "text" ? block.text : block.type));
    return [`${item.message.role}: ${parts.join(" + ")}`];
  });
