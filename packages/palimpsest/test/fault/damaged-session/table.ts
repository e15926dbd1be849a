/** The document of the kinds of damage: what the observer hears, what is lost, and the kinds with this outcome. */
import type { Verdict } from "./judge-kind.ts";
import type { Kind, Level } from "./kind.ts";

export interface Judged {
  readonly kind: Kind;
  readonly verdict: Verdict;
}

const HEAD = `# What damage does

A damaged session opens. Readable entries count, unreadable ones are skipped and reported to the observer, and a
provider accepts the next request. Opening never changes a byte of the log. The tests write this page.

Each kind damages a session of twenty messages with calls, results, thinking, a picture, a large result, edits
and pins. The session is opened, the rules of three APIs (Anthropic Messages, OpenAI Chat and OpenAI Responses)
judge its first request, it continues, and is opened again.

- *reported*: the events that an observer gets. \`damage\`: of the stored log. \`repair\`: of a conversation that a
  provider would refuse. \`mended\`: a block is not shown as it was said. \`refused\`: the host gets an error at once.
- *lost*: marked words (each message has at least one) that are in neither the request nor \`session.history\`.
- *kinds*: the names of the kinds with this outcome; the tests describe each.
`;

const CHAPTERS: Readonly<Record<Level, string>> = {
  bytes: "Bytes of the file",
  lines: "Lines of the file",
  entries: "Fields of an entry",
  blocks: "Blocks of a stored message",
  "edits and checkpoints": "Edits and checkpoints",
  blobs: "Blobs beside the log",
  conversation: "Messages from a host",
};

export function formatTable(judged: readonly Judged[]): string {
  const chapters = Object.entries(CHAPTERS).map(([level, title]) => {
    const names = new Map<string, string[]>();
    for (const one of judged.filter(({ kind }) => kind.level === level)) {
      const outcome = formatOutcome(one);
      names.set(outcome, [...(names.get(outcome) ?? []), one.kind.name]);
    }
    const rows = [...names].map(([outcome, kinds]) => `${outcome}${kinds.join(", ")} |`);
    return `## ${title}\n\n| reported | lost | kinds |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${HEAD}\n${judged.length} kinds.\n\n${chapters.join("\n")}`;
}

/** Returns the beginning of the row that the document has for each kind of damage. */
export function readOutcomes(document: string): ReadonlyMap<string, string> {
  const rows = [...document.matchAll(/^(\| .+ \| (?:nothing|\d+ words?) \| )(.+) \|$/gm)];
  return new Map(
    rows.flatMap(([, outcome = "", kinds = ""]) => kinds.split(", ").map((kind) => [kind, outcome])),
  );
}

/** Formats the beginning of a row: the reports and the losses. */
export function formatOutcome({
  kind: { quiet },
  verdict: { reported: reportedKinds, lost },
}: Judged): string {
  const reported =
    reportedKinds.length === 0 ? `nothing: ${quiet}` : reportedKinds.map((one) => `\`${one}\``).join(", ");
  return `| ${reported} | ${lost.length === 0 ? "nothing" : formatCount(lost.length)} | `;
}

function formatCount(words: number): string {
  return words === 1 ? "1 word" : `${words} words`;
}
