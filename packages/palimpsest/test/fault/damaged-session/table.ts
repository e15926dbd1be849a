/** The kinds of damage as a document: what happened, what is told of it, what it costs. */
import type { Verdict } from "./judge-kind.ts";
import type { Kind, Level } from "./kind.ts";

export interface Judged {
  readonly kind: Kind;
  readonly verdict: Verdict;
}

const HEAD = `# What damage does

A session is opened as it is found. What can be read counts, what cannot is passed over and told to the
observer, and the next request is one that a provider takes. This page lists every kind of damage that the
tests make, what is told of it and what it costs; the tests write it, so it says what happens today.

Each kind is done to a session of twenty messages with calls, results, thinking, a picture, a large result, edits
and pins. It is opened, its first request is judged by the rules of three wires (Anthropic Messages, OpenAI Chat
and OpenAI Responses), it goes on, and is opened again. Opening never changes a byte of the log.

- *told* is what an observer hears: \`damage\` of the stored log, \`repair\` of a conversation that would be
  refused, \`mended\` blocks that are not shown as they were said, and \`refused\` messages, which the host hears
  of at once.
- *lost* counts the marked words (there is at least one in every message) that neither the request nor
  \`session.history\` has any more. What is only not shown is not lost.
`;

const CHAPTERS: Readonly<Record<Level, string>> = {
  bytes: "Bytes of the file",
  lines: "Lines of the file",
  entries: "What an entry says",
  blocks: "Blocks of a stored message",
  "edits and checkpoints": "Edits and checkpoints",
  blobs: "What lies beside the log",
  conversation: "What a host hands over",
};

export function formatTable(judged: readonly Judged[]): string {
  const chapters = Object.entries(CHAPTERS).map(([level, title]) => {
    const rows = judged.filter(({ kind }) => kind.level === level).map(formatRow);
    return `## ${title}\n\n| kind | what happened | told | lost |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${HEAD}\n${judged.length} kinds.\n\n${chapters.join("\n")}`;
}

/** A kind's row of the table. */
export function formatRow({ kind: { name, what, quiet }, verdict: { told, lost } }: Judged): string {
  const said = told.length === 0 ? `nothing: ${quiet}` : told.map((one) => `\`${one}\``).join(", ");
  return `| ${name} | ${what} | ${said} | ${lost.length === 0 ? "nothing" : formatCount(lost.length)} |`;
}

function formatCount(words: number): string {
  return words === 1 ? "1 word" : `${words} words`;
}
