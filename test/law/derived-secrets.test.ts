/**
 * No derived output contains a secret: every family of the table is planted whole and across the place where
 * each layer cuts, and no piece of eight characters of its body may occur in any derived output.
 *
 * A soak plants every secret at every cut, the long run each at a quarter of them; by default some secrets are planted at one cut.
 */

import type { Message } from "palimpsest";
import { openHome, SessionInfoBuilder } from "palimpsest";
import { addToDigest, createDigest } from "palimpsest/experimental";
import { cleanMemoryText } from "palimpsest/memory";
import { blockText, type ToolResultBlock, type ToolUseBlock } from "palimpsest/transcript";
import { describe, expect, it } from "vitest";
import { finish } from "#palimpsest/base/steps.ts";
import { writeDigest } from "#palimpsest/compaction/digest/saved-digest.ts";
import { describeRound } from "#palimpsest/compaction/layers/collapse/round-line.ts";
import { composeInSteps } from "#palimpsest/compaction/layers/extractive/extractive-summary.ts";
import { fullCompactInSteps } from "#palimpsest/compaction/layers/full/plan-full-compact.ts";
import { briefInSteps } from "#palimpsest/compaction/layers/microcompact/clear-forms.ts";
import { previewText } from "#palimpsest/compaction/preview/preview.ts";
import { writeRounds } from "#palimpsest/compaction/summary/cold-transcript.ts";
import { reportLoss } from "#palimpsest/compaction/summary/loss-report.ts";
import { composeNewestExchange } from "#palimpsest/compaction/summary/newest-exchange.ts";
import { SUMMARY_SECTIONS } from "#palimpsest/compaction/summary/summary-prompt.ts";
import { heuristicSummary } from "#palimpsest/conversation/compression/heuristic-summary.ts";
import { SessionPresenter } from "#palimpsest/exporters/exported-session.ts";
import { extractByRules } from "#palimpsest/memory/extraction/rule-extractor.ts";
import { cleanToolFile } from "#palimpsest/memory/write/tool-edit.ts";
import { cleanBody, cleanLine } from "#palimpsest/notes/clean-text.ts";
import { addToHistory, createHistoryIndex } from "#palimpsest/session/history/search/history-index.ts";
import { searchHistory } from "#palimpsest/session/history/search/history-search.ts";
import { overviewRowOf } from "#palimpsest/stores/shared/session-info.ts";
import { pageText } from "#palimpsest-cli/replay/page/page-dictionary.ts";
import { BROKEN_SECRETS, PLANTED_SECRETS, type PlantedSecret } from "../helpers/planted-secrets.ts";
import { asWindow } from "../helpers/recorded.ts";
import { bySize, isLong } from "../helpers/size-of-run.ts";
import { storedHome } from "../helpers/stored.ts";
import { assistant, call, measure, result, text, user } from "../helpers/windows.ts";

const PIECE = 8;

/** Characters at which layers cut: arguments, strings, outcomes, snippets, calls, prompts, commands, sentences, words. */
const CUTS = [40, 80, 100, 160, 200, 240, 300, 320, 400, 600, 700, 4_000];

/** Whole ones and broken ones. */
const SECRETS = [...PLANTED_SECRETS, ...BROKEN_SECRETS];

/** Secrets of which the output has a piece. */
function leaksIn(output: string, secrets: readonly PlantedSecret[]): readonly string[] {
  return secrets
    .filter(({ body }) => holdsPiece(output, body))
    .map(({ family, text }) => `${family}: ${text}`);
}

function holdsPiece(output: string, body: string): boolean {
  for (let at = 0; at + PIECE <= body.length; at++)
    if (output.includes(body.slice(at, at + PIECE))) return true;
  return false;
}

const words = (characters: number): string =>
  "Always mind that the lamp is lit. ".repeat(Math.ceil(characters / 34)).slice(0, characters);

/** The secret behind so many characters that a cut at `cut` falls into it. */
function across(cut: number, { text: secret, body }: PlantedSecret): string {
  const middle = secret.indexOf(body) + Math.min(12, Math.floor(body.length / 2));
  return `${words(Math.max(0, cut - middle - 1))} ${secret} ${words(60)}`;
}

/** Messages that say it everywhere: the user, the assistant, arguments, results, failures, tasks. */
function conversationOf(words: string): readonly Message[] {
  return [
    user(words),
    assistant(
      "a",
      text(`The root cause is this because ${words}`),
      call("c1", "Bash", { command: words, env: { note: words } }),
    ),
    result("c1", `Exit code: 1\nError: ${words}`, true),
    assistant(
      "b",
      call("c2", "Write", { file_path: `notes/${words}`, content: words }),
      call("c3", "TodoWrite", { todos: [{ content: words, status: "pending" }] }),
    ),
    result("c2", `written\n${words}`),
    result("c3", words),
    assistant("d", text(`- [ ] ${words}\n- found it: ${words}`)),
    user(`Remember: ${words}`),
    user("go on"),
  ];
}

const WIDE = { budgetTokens: 100_000, userWordsTokens: 40_000, factsTokens: 40_000, appendixTokens: 20_000 };

/** Every output that is a function of messages. */
function derivedFrom(messages: readonly Message[], quoted: string): Readonly<Record<string, string>> {
  const visible = asWindow(messages);
  const digest = createDigest();
  messages.forEach((message, index) => {
    addToDigest(digest, index + 1, message);
  });
  const index = createHistoryIndex();
  messages.forEach((message, place) => {
    addToHistory(index, place + 1, message);
  });
  const blocks = messages.flatMap(({ content }) => content);
  const made = blocks.find((block): block is ToolUseBlock => block.type === "tool_use")!;
  const answer = blocks.find((block): block is ToolResultBlock => block.type === "tool_result")!;
  const conversation = messages.map((message, place) => ({ id: `m${place}.0`, message }));
  const prefix = new SessionInfoBuilder();
  const base = { v: 1, id: "x", at: 1 } as const;
  prefix.add({
    ...base,
    type: "message",
    seq: 1,
    role: "user",
    origin: "user",
    content: [text(quoted)],
  } as never);
  const info = prefix.info({ sessionId: "s", bytes: 1, isInUse: false });
  const titled = { ...info, metadata: { title: quoted } };
  const presenter = new SessionPresenter({ isRedacted: true });
  return {
    extractive: finish(
      composeInSteps(
        digest,
        { ...WIDE, throughSeq: 99, hasTail: false, visibleLiterals: new Set() },
        measure,
      ),
    ).text,
    "stored digest": writeDigest(digest),
    "cold transcript": writeRounds(visible, measure)
      .map((round) => round.text)
      .join("\n"),
    "loss report": JSON.stringify(
      reportLoss({ hidden: visible, shown: [], kept: [], verbatimSeqs: new Set() }),
    ),
    "collapse line": describeRound(
      visible,
      { roundTokens: 300, answerTokens: 300, userWordsTokens: 1 },
      measure,
    ),
    "newest exchange": composeNewestExchange(visible, 100_000, measure),
    brief: finish(
      briefInSteps(
        {
          pointer: "m1.0",
          shown: visible[2]!.blocks[0]!,
          result: answer,
          call: made,
          scope: { isVisible: () => false, show: () => undefined },
        },
        { briefTokens: 400, briefStringCount: 50, smallQueryTokens: 0 } as never,
        measure,
      ),
    ),
    preview: [120, 200, 300]
      .map((budgetTokens) =>
        previewText(`${quoted}\n${words(3_000)}\n${quoted}`, { budgetTokens, pointer: "m1.0" }, measure),
      )
      .join("\n"),
    history: ["lamp", "root cause", "Error", quoted]
      .flatMap((query) => searchHistory(index, query, { limit: 20 }).map(({ snippet }) => snippet))
      .join("\n"),
    "search index": [...index.postings.keys()].join("\n"),
    "first prompt": `${info.firstPrompt} ${overviewRowOf(info).title} ${overviewRowOf(titled).title}`,
    rules: JSON.stringify(extractByRules(conversation).proposals),
    memory: (["name", "description", "hook", "body"] as const)
      .map((where) => cleanMemoryText(quoted, where).text)
      .join("\n"),
    "memory file of a tool": cleanToolFile("a.md", `---\nname: ${quoted}\n---\n${quoted}`, 1_800_000_000_000),
    notes: `${cleanLine(quoted, 100)}\n${cleanBody(quoted, { level: 2, mayFence: true, hasDescription: true })}`,
    "replay page": JSON.stringify(blocks.map((block) => pageText(blockText(block), 600))),
    conversation:
      heuristicSummary({
        originals: [{ type: "message", role: "user", content: quoted }],
        replacedTokens: 1_000_000,
      } as never) ?? "",
    "export for reading": JSON.stringify(
      messages.map(({ role, content }, seq) => presenter.message({ seq, role, origin: "user", content })),
    ),
  };
}

describe("what is derived", () => {
  it("holds no piece of a planted secret, wherever a layer cuts", () => {
    const leaks: string[] = [];
    const names = new Set<string>();
    const tried = new Map<string, Set<number>>();
    SECRETS.forEach((secret, place) => {
      const cuts = bySize({
        usual: place % 6 === 0 ? [CUTS[(place / 6) % CUTS.length]!] : [],
        long: [0, ...CUTS].filter((_, at) => at % 4 === place % 4),
        soak: [0, ...CUTS],
      });
      for (const cut of cuts) {
        tried.set(secret.family, (tried.get(secret.family) ?? new Set()).add(cut));
        const text = across(cut, secret);
        for (const [name, output] of Object.entries(derivedFrom(conversationOf(text), text))) {
          names.add(name);
          if (output.length < 10 && name !== "rules") leaks.push(`${name} is empty`);
          if (holdsPiece(output, secret.body))
            leaks.push(`${name} at ${cut}: ${secret.family} ${secret.text.slice(0, 60)}`);
        }
      }
    });
    expect(leaks).toEqual([]);
    expect(names.size).toBe(18);
    const families = [...tried.values()];
    const cutsOfEach = bySize({ usual: 1, long: 3, soak: 13 });
    expect(families.filter((cuts) => cuts.size >= cutsOfEach).length).toBeGreaterThanOrEqual(
      isLong ? 95 : 25,
    );
  });

  it("holds none in a summary whose model repeats secrets whole, cut, or without their prefix", () => {
    for (const part of [
      SECRETS.filter((_, place) => place % 2 === 0),
      SECRETS.filter((_, place) => place % 2 === 1),
    ]) {
      const messages = [
        ...part.map(({ text: secret }) => user(`Use ${secret} there`)),
        assistant("a", text(words(200_000))),
        user("go on"),
      ];
      const digest = createDigest();
      messages.forEach((message, index) => {
        addToDigest(digest, index + 1, message);
      });
      const repeated = part.flatMap(({ text: secret, body }) => [
        secret,
        body,
        body.slice(0, body.length / 2),
        body.slice(body.length / 3),
      ]);
      const sections = SUMMARY_SECTIONS.map(({ title }, index) => `${index + 1}. ${title}: as before`);
      const edit = finish(
        fullCompactInSteps({
          visible: asWindow(messages),
          digest,
          written: {
            text: `${sections.join("\n")}\nKeys: ${repeated.join(" and ")}`,
            throughSeq: messages.length,
            model: "m",
            leftOutRounds: 0,
          },
          measure,
          pendingCallIds: [],
          reason: "threshold",
          policy: {
            ...WIDE,
            editSafety: "permissive",
            targetTokens: 100_000,
            keepTailTokens: 0,
            maxNewestRoundTokens: 10,
            maxTailTokens: 10,
            maxSummaryShare: 1,
          },
        }),
      );
      const shown = JSON.stringify(edit);
      expect(shown).toContain("[redacted: ");
      expect(leaksIn(shown, part)).toEqual([]);
    }
  });

  it("holds none in lists, searches and exports of sessions, in any form", async () => {
    const place = storedHome();
    const every = bySize({ usual: 12, long: 3, soak: 1 });
    const secrets = SECRETS.filter((_, index) => index % every === 0);
    const opened = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    for (const secret of secrets) {
      const session = await opened.create();
      await session.append(user(`${secret.text} is for the lamp`));
      await session.append(user(across(200, secret)));
      await session.close();
    }
    const session = await opened.create();
    await session.setMetadata("title", `${words(60)} ${secrets[0]!.text}`);
    // Pieces stand before the whole: what an earlier version made of the session is in its log.
    for (const { body } of secrets)
      await session.append(user(`piece ${body} and ${body.slice(0, body.length / 2)}`));
    for (const { text: secret } of secrets) await session.append(user(`lamp ${secret} there`));
    await session.append(user(secrets.map(({ text: secret }) => `${words(2_000)} ${secret}`).join("\n")));
    await session.close();
    await opened.close();

    const all = ["--limit", "1000"];
    const outputs: Record<string, string> = {};
    for (const args of [
      ["list", ...all],
      ["list", "--json", ...all],
      ["search", "lamp", ...all],
      ["search", "lamp", "--json", ...all],
      ["show", session.id, "-m", "1000"],
      ["show", session.id, "--json", "-m", "1000"],
      ["export", session.id],
      ["export", session.id, "-f", "html"],
      ["export", session.id, "-f", "jsonl", "--redact"],
    ])
      for (const columns of [60, 100, 200]) {
        if (args[0] !== "list" && columns !== 100) continue;
        const { code, out } = await place.run(["sessions", ...args], { columns });
        expect(code).toBe(0);
        outputs[`${args.join(" ")} (${columns})`] = out;
      }
    const leaks = Object.entries(outputs).flatMap(([name, output]) =>
      leaksIn(output, secrets).map((secret) => `${name}: ${secret}`),
    );
    expect(leaks).toEqual([]);
    const asked = await place.run(["sessions", "show", session.id, "-m", "1000", "--no-redact"]);
    expect(asked.out).toContain(secrets[0]!.body);
    const found = await place.run(["sessions", "search", secrets[0]!.text, "--no-redact"]);
    expect(found.out).toContain(secrets[0]!.body.slice(0, 20));
  });
});
