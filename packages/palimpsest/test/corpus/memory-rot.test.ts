/**
 * Memory does not rot: the sessions of one repository lived again in their order, with the extractor that needs
 * no model. Kept memories are recalled in every later session, said again by the agent, and never kept twice.
 */
import { describe, expect, it } from "vitest";
import { extractByRules, type RuleProposal } from "#memory/extraction/rule-extractor.ts";
import type { ConversationMessage } from "#memory/trust/attributed-text.ts";
import { fenceMemories } from "#memory/trust/fence.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";
import { defaultOrigin } from "#transcript/blocks.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";

/** Facts that a developer of that repository says in several sessions. */
const WISHES = [
  ["Remember that the e2e tests cost tokens.", "remember: the e2e tests cost tokens"],
  ["Always ask me before you run the e2e tests.", "please always ask me before you run the e2e tests!"],
  ["Never commit generated metadata files.", "And never commit generated metadata files"],
  ["I prefer mermaid diagrams in the architecture docs.", "I prefer mermaid diagrams in architecture docs"],
  ["We use shadow branches for checkpoints.", "we use shadow branches for the checkpoints."],
  ["No, use a map instead of the linear index scan.", "no, use a map instead of the linear index scan!"],
  ["From now on write integration tests in Go.", "from now on, write the integration tests in Go"],
  ["Ab jetzt Commits immer auf Englisch.", "ab jetzt commits immer auf englisch!"],
] as const;

interface Recorded {
  readonly name: string;
  readonly beganAtMs: number;
  readonly conversation: readonly ConversationMessage[];
}

let recorded: Promise<readonly Recorded[]> | undefined;

function recordedSessions(): Promise<readonly Recorded[]> {
  recorded ??= readSessions();
  return recorded;
}

async function readSessions(): Promise<readonly Recorded[]> {
  const sessions: Recorded[] = [];
  for (const { id, path } of corpusFiles("claude-code").filter((file) => file.id.startsWith("cc-entire-"))) {
    for (const { items } of (await importFile(path)).sessions) {
      const messages = items.flatMap((item) => (item.type === "message" ? [item.message] : []));
      sessions.push({
        name: id,
        beganAtMs: messages.find(({ at }) => at !== undefined)?.at ?? 0,
        conversation: messages.map((message, index) => ({ id: `${id}/${index}`, message })),
      });
    }
  }
  return sessions.sort((a, b) => a.beganAtMs - b.beganAtMs);
}

const messageOf = (id: string, role: "user" | "assistant", text: string): ConversationMessage => ({
  id,
  message: { role, content: [{ type: "text", text }] },
});

/** A session as the engine would hold it: memories are recalled, beside the first words and in a message. */
function withRecall(
  { name, conversation }: Recorded,
  kept: readonly RuleProposal[],
): readonly ConversationMessage[] {
  const memories = kept.map(({ name: title, body }) => ({ memory: aMemory({ name: title, body }) }));
  const fence = fenceMemories(memories, { nowMs: 0 });
  return [
    {
      id: `${name}/recall`,
      message: { role: "user", origin: "recalled", content: [{ type: "text", text: fence }] },
    },
    messageOf(`${name}/hello`, "user", `hello\n\n${fence}`),
    messageOf(`${name}/echo`, "assistant", `I remember: ${kept.map(({ body }) => body).join(" ")}`),
    ...conversation,
  ];
}

/** Every word that a user typed or pasted in the session. */
function usersText({ conversation }: Recorded): string {
  return conversation
    .filter(({ message }) => (message.origin ?? defaultOrigin(message)) === "user")
    .flatMap(({ message }) => message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
    .join("\n");
}

interface Reported {
  readonly kept: readonly RuleProposal[];
  readonly extracted: number;
  readonly repeated: number;
  readonly junk: readonly string[];
}

/** Lives the sessions one after the other, with what was kept so far. */
function live(sessions: readonly Recorded[], before: readonly RuleProposal[]): Reported {
  const kept = [...before];
  const junk: string[] = [];
  let repeated = 0;
  for (const session of sessions) {
    const known = kept.map(({ body }) => body);
    const { proposals, leftOut } = extractByRules(withRecall(session, kept), { known });
    repeated += leftOut.repeated;
    const text = usersText(session);
    for (const proposal of proposals) {
      if (!text.includes(proposal.quote)) junk.push(`nobody said: ${proposal.quote}`);
      if (/[?？]\s*$/.test(proposal.quote)) junk.push(`a question: ${proposal.quote}`);
      if (kept.some(({ body }) => plain(body) === plain(proposal.body)))
        junk.push(`again: ${proposal.quote}`);
      kept.push(proposal);
    }
  }
  return { kept, extracted: kept.length - before.length, repeated, junk };
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

describe.skipIf(!hasCorpus)("memory of recorded sessions (skipped without the corpus)", () => {
  it("holds nothing that no user said, no question and nothing twice", async () => {
    const sessions = await recordedSessions();
    expect(sessions.length).toBeGreaterThan(5);
    const first = live(sessions, []);
    const second = live(sessions, first.kept);
    process.stdout.write(
      `${sessions.length} sessions: ${first.extracted} kept, ${first.junk.length} of them junk, ${first.repeated} repeats left out; lived again: ${second.extracted} kept\n`,
    );
    expect(first.junk).toEqual([]);
    expect(first.extracted).toBeGreaterThan(0);
    expect(second.extracted).toBe(0);
  });

  it("keeps what is said again and again once", async () => {
    const sessions = (await recordedSessions()).map((session, index) => ({
      ...session,
      conversation: [
        ...session.conversation,
        ...WISHES.map((forms, at) =>
          messageOf(`${session.name}/wish${at}`, "user", forms[(index + at) % 2]!),
        ),
      ],
    }));
    const { kept, extracted, repeated, junk } = live(sessions, []);
    const wished = kept.filter(({ messageId }) => messageId.includes("/wish"));
    process.stdout.write(
      `with ${WISHES.length} wishes in each: ${extracted} kept, ${repeated} repeats left out, ${junk.length} junk\n`,
    );
    expect(junk).toEqual([]);
    expect(wished.map(({ messageId }) => messageId.replace(/^.*\/wish/, "")).sort()).toEqual([..."01234567"]);
    expect(repeated).toBeGreaterThanOrEqual(WISHES.length * (sessions.length - 1));
  });

  it("never takes recalled text for news, also where nothing is known", async () => {
    const sessions = await recordedSessions();
    const kept = extractByRules(WISHES.map(([wish], at) => messageOf(`w${at}`, "user", wish))).proposals;
    expect(kept).toHaveLength(WISHES.length);
    for (const session of sessions) {
      const withThem = extractByRules(withRecall(session, kept)).proposals.map(({ quote }) => quote);
      expect(withThem).toEqual(extractByRules(session.conversation).proposals.map(({ quote }) => quote));
    }
  });
});
