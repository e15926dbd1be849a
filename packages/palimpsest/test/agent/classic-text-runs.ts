/**
 * Runs that show the constants of the policy `classic` for texts: previews, briefs, pins, words of the user, strings, notes.
 */
import { CompactionWatch } from "#session/compact/compaction-watch.ts";
import { internalsOf } from "#session/session.ts";
import { docsTool, setTheStage } from "#test/agent/stage.ts";
import { aSession } from "#test/helpers/sessions.ts";
import { estimateBlock } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { call, full, layersOf, lines, MODEL, ofTokens, tooLong, WINDOW } from "./classic-runs.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] }) as const;
const shownText = (blocks: readonly { readonly block: ContentBlock }[]): string =>
  blocks.map(({ block }) => ("text" in block ? block.text : "")).join("\n");
const tokensOf = (text: string): number => estimateBlock({ type: "text", text }, MODEL);
const thousands = (value: number): string => value.toLocaleString("en-US");

/** The sizes that follow from the model's longest answer. */
export async function budgets(): Promise<string> {
  const effective: string[] = [];
  for (const maxOutputTokens of [8_000, 20_000, 64_000]) {
    const { session } = await aSession({ ...WINDOW, maxOutputTokens });
    effective.push(
      `${thousands(maxOutputTokens)}: ${thousands(internalsOf(session).budgets.budget.effectiveTokens)}`,
    );
  }
  return `${effective.join("; ")} of 200,000 are effective`;
}

/** The most that messages have after a summary. */
export async function targets(): Promise<string> {
  const { session } = await aSession(WINDOW);
  const { fullTargetTokens, sessionMemoryTargetTokens } = internalsOf(session).budgets.budget;
  return `${thousands(fullTargetTokens)}; ${thousands(sessionMemoryTargetTokens)}`;
}

/** Shows a message with three results of this size. */
export async function together(tokens: number): Promise<string> {
  const { session } = await aSession(WINDOW);
  await session.append(user("Read."));
  await session.prepare({ model: MODEL });
  const ids = ["a", "b", "c"];
  await session.record({ messages: [{ role: "assistant", content: ids.map((id) => call(id)) }] });
  const text = ofTokens(tokens);
  const content = ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: text }) as const);
  await session.append({ role: "user", content });
  const whole = session.visible.at(-1)!.blocks.filter(({ form }) => form === "original").length;
  return `3 of ${thousands(tokens)}: ${whole} whole`;
}

export async function previewSize(): Promise<string> {
  const { session } = await aSession(WINDOW);
  await session.append(user("Read."));
  await session.prepare({ model: MODEL });
  await session.record({ messages: [{ role: "assistant", content: [call("a")] }] });
  await session.append({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "a", content: ofTokens(30_000) }],
  });
  const tokens = estimateBlock(session.visible.at(-1)!.blocks[0]!.block, MODEL);
  return `30,000: ${Math.floor(tokens / 100) * 100} and some`;
}

/** Clears results of this size. */
export async function briefs(tool: string, characters: number): Promise<string> {
  const { session } = await aSession({ ...WINDOW, disabledLayers: ["arrival", "collapse"] });
  await session.append(user("Search the ledgers."));
  for (let index = 0; index < 100; index++) {
    await session.append({ role: "assistant", responseId: `r${index}`, content: [call(`c${index}`, tool)] });
    const content = lines(characters, `ledger ${index}`).slice(0, characters);
    await session.append({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `c${index}`, content }],
    });
  }
  const { edits } = await session.prepare({ model: MODEL });
  const forms = edits[0]?.edit.effect.forms ?? [];
  const shown = forms.flatMap(({ shown }) => (shown === undefined ? [] : [estimateBlock(shown, MODEL)]));
  const hidden =
    forms.filter((form) => form.shown === undefined).length + (edits[0]?.edit.effect.hide ?? []).length;
  return shown.length === 0
    ? `${hidden > 0 ? "gone with their calls" : "all stay"}`
    : `up to ${Math.round(Math.max(...shown))} tokens`;
}

/** The user's long messages at the gates of offload and microcompact. */
export async function userAtTheGates(): Promise<string> {
  const { session } = await aSession({ ...WINDOW, disabledLayers: ["arrival"] });
  for (let index = 0; index < 40; index++) {
    await session.append(user(lines(3_600, `wish ${index}`)));
    await session.append({ role: "assistant", responseId: `r${index}`, content: "Noted." });
  }
  await internalsOf(session).builder.look({ model: MODEL });
  internalsOf(session).tracker.ledger.counted({ tokens: 150_000, source: "counter:test" });
  const { edits } = await session.prepare({ model: MODEL });
  return `40 messages of 3,600 in 150,000: ${edits.length === 0 ? "all whole" : edits.map(({ edit }) => edit.kind).join()}`;
}

/** Pins of these sizes. */
export async function pins(): Promise<string> {
  const outcomes: string[] = [];
  for (const tokens of [3_900, 4_200]) {
    const { session } = await aSession(WINDOW);
    await session.append(user("Hello."));
    const pinned = session.pinFact(ofTokens(tokens).replaceAll("\n", " ")).then(
      () => "pinned",
      (error: { readonly code: string }) => error.code,
    );
    outcomes.push(`${thousands(tokens)}: ${await pinned}`);
  }
  return outcomes.join("; ");
}

/** The user's words that a summary from the log has verbatim, and its strings. */
export async function summaryTexts(): Promise<{ readonly words: string; readonly strings: string }> {
  const { session } = await aSession({
    ...WINDOW,
    disabledLayers: ["arrival", "offload", "microcompact", "collapse"],
  });
  const wishes = Array.from({ length: 60 }, (_, index) => lines(500, `wish ${index}`).trim());
  for (const [index, wish] of wishes.entries()) {
    await session.append(user(wish));
    await session.append({
      role: "assistant",
      responseId: `r${index}`,
      content: [call(`c${index}`, "Bash")],
    });
    const content = Array.from(
      { length: 60 },
      (_, row) => `src/part${index}/module_${row}_${index * 7919}.ts:${row}`,
    ).join("\n");
    await session.append({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `c${index}`, content }],
    });
  }
  await internalsOf(session).builder.look({ model: MODEL });
  internalsOf(session).tracker.ledger.counted({ tokens: 168_000, source: "counter:test" });
  await session.prepare({ model: MODEL });
  const text = session.visible
    .filter(({ insertedBy }) => insertedBy !== undefined)
    .map(({ blocks }) => shownText(blocks))
    .join("\n");
  const verbatim = wishes.filter((wish) => text.includes(wish.split("\n").at(-1)!));
  const appendix = /## Strings from this session[^\n]*\n([\s\S]*?)\n---/.exec(text)?.[1] ?? "";
  const sum = Math.round(verbatim.reduce((tokens, wish) => tokens + tokensOf(wish), 0));
  const isNewest = wishes.slice(-verbatim.length + 1).every((wish) => verbatim.includes(wish));
  const words = `${verbatim.length} of 60 messages of the user, the first and the ${isNewest ? "newest" : "others"}`;
  return { words: `${words}: ${sum} tokens`, strings: `${Math.round(tokensOf(appendix))} tokens of strings` };
}

/** The rounds that the retries of a summary ask about. */
export async function retries(): Promise<string> {
  const stage = await full({ notes: "off", summary: () => tooLong }, ["collapse"]);
  for (let turn = 0; layersOf(stage).length === 0; turn++)
    await stage.session.turn(`Question ${turn} of the user.`);
  const asked = stage.model.requests
    .map(({ messages }) => JSON.stringify(messages))
    .filter((text) => text.includes("<summary> tags"))
    .map((text) => new Set(text.match(/Question \d+ of the user/g)).size);
  return `${asked.join(", ")} rounds are asked about`;
}

/** A refusal as too long, and a second one. */
export async function refused(count: number): Promise<string> {
  let left = count;
  const stage = await setTheStage({
    window: WINDOW,
    answer: (_, index) => (index >= 20 && left-- > 0 ? tooLong : lines(3_000, `answer ${index}`)),
  });
  for (let turn = 0; turn < 20; turn++) await stage.session.turn(`Question ${turn}.`);
  const ended = await stage.session.turn("One more.").then(
    () => "answered",
    (error: { readonly code: string }) => error.code,
  );
  return [...layersOf(stage), ended].join(", ");
}

/** The time that a compaction waits for an update that never ends. */
export async function notesWait(): Promise<string> {
  const waits: number[] = [];
  const deadline = {
    after: (ms: number, work: () => void) => {
      waits.push(ms);
      if (ms === 15_000) work();
      return () => undefined;
    },
  };
  const stage = await full(
    { notes: { costShareCap: "off" }, deadline, notesAnswer: () => new Promise<string>(() => undefined) },
    ["collapse"],
  );
  for (let turn = 0; !layersOf(stage).some((name) => !name.startsWith("call")) && turn < 90; turn++)
    await stage.session.turn(`Question ${turn}.`);
  return `${waits.includes(15_000) ? "15,000 ms" : "not"}, then ${layersOf(stage).join(", ")}`;
}

/** The notes after updates that write too much. */
export async function notesSizes(): Promise<string> {
  const titles = NOTES_SECTIONS;
  const stage = await full({
    notes: { costShareCap: "off" },
    notesAnswer: () =>
      titles.map((title) => `<replace section="${title}">\n${lines(3_000, title)}</replace>`).join("\n"),
  });
  for (let turn = 0; turn < 8; turn++) {
    await stage.session.turn(`Question ${turn}.`);
    await stage.session.notesSettled();
  }
  const { text } = (await stage.session.readNotes())!;
  const sections = text.split(/^# /m).slice(1);
  const sizes = sections.map((section) => tokensOf(section));
  return `${sections.length} sections, the largest ${Math.round(Math.max(...sizes))} tokens with its heading, ${Math.round(tokensOf(text))} in all`;
}

const NOTES_SECTIONS = [
  "Current State",
  "Task Specification",
  "Files and Functions",
  "Workflow",
  "Errors & Corrections",
  "Codebase and System Documentation",
  "Learnings",
  "Key Results",
  "Worklog",
];

/** The budget of thinking. */
export async function thinking(): Promise<string> {
  const { session } = await aSession(WINDOW);
  await session.append(user("Think."));
  await session.prepare({ model: MODEL });
  const thought = { type: "thinking", thinking: lines(33_000, "thought"), signature: "s" } as const;
  await session.record({
    messages: [{ role: "assistant", content: [thought, { type: "text", text: "Done." }] }],
  });
  const share = session.context().shares.find(({ category }) => category === "thinking")!;
  return `33,000: ${share.isOverBudget === true ? "over" : "within"} its ${thousands(share.budgetTokens ?? 0)}`;
}

/** The verdicts on compactions. */
export function verdicts(): string {
  const after = (
    calls: number,
    sizes: { readonly beforeTokens: number; readonly afterTokens: number },
  ): string => {
    const watch = new CompactionWatch();
    watch.compacted({ beforeTokens: 100_000, afterTokens: 10_000, targetTokens: 63_000 });
    for (let call = 0; call < calls; call++) watch.called();
    return watch.compacted({ ...sizes, targetTokens: 63_000 })?.cause ?? "of use";
  };
  const freed = (tokens: number): string => after(9, { beforeTokens: 70_000, afterTokens: 70_000 - tokens });
  const refilled = (calls: number): string => after(calls, { beforeTokens: 100_000, afterTokens: 10_000 });
  const left = (tokens: number): string => after(9, { beforeTokens: 160_000, afterTokens: tokens });
  return [
    `frees 13,999 of 70,000: ${freed(13_999)}, 14,000: ${freed(14_000)}`,
    `3 calls after the last: ${refilled(3)}, 4: ${refilled(4)}`,
    `leaves 63,001: ${left(63_001)}, 63,000: ${left(63_000)}`,
  ].join("; ");
}

/** A turn whose every compaction is of no use. */
export async function thrashing(): Promise<string> {
  const stage = await setTheStage({
    window: {
      ...WINDOW,
      windowTokens: 16_000,
      disabledLayers: ["offload", "microcompact", "arrival", "collapse"],
    },
    notes: "off",
    answer: (_, index) => [{ type: "tool_use", id: `c${index}`, name: "mcp__docs__get", input: { index } }],
  });
  const code = await stage.session.turn("Read everything.", { tools: [docsTool(5_500)] }).then(
    () => "ended",
    (error: { readonly code: string }) => error.code,
  );
  const useless = stage.events.filter(({ type }) => type === "useless-compaction").length;
  return `${useless} useless compactions, then ${code}`;
}
