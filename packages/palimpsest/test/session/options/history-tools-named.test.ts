/** Texts for the model name the history tools where the request declares them, and nowhere else. */
import { describe, expect, it } from "vitest";
import { HISTORY_TOOLS } from "#session/history/history-tools.ts";
import type { CallRequest } from "#session/options/prepared-call.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { docsTool, setTheStage, wordsOf } from "#test/agent/stage.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

const OWN_TOOL = { name: "Read", description: "Reads a file.", input_schema: { type: "object" } };
const REQUEST: CallRequest = { model: "claude-sonnet-4-5", system: "Be brief.", tools: [OWN_TOOL] };
const DECLARED = HISTORY_TOOLS.map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema }));
const WITH_TOOLS: CallRequest = { ...REQUEST, tools: [OWN_TOOL, ...DECLARED] };

const NAMED = /history_(?:search|read)/;
const image: ContentBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(2_000) },
};
const lines = (count: number, tag: string): string =>
  Array.from({ length: count }, (_, row) => `${tag}, row ${row}: value ${(row * 7_919) % 9_973}\n`).join("");

interface Worked {
  /** Everything that was sent, and what the edits say of themselves. */
  readonly systemText: string;
  readonly kinds: ReadonlySet<string>;
}

/** A host's own loop: reads files and pastes of different sizes, and says a little. */
async function work(
  session: Session,
  request: CallRequest,
  { rounds = 60, rowsOf = (): number => 24 }: { rounds?: number; rowsOf?: (index: number) => number } = {},
): Promise<Worked> {
  const systemText: string[] = [];
  const kinds = new Set<string>();
  await session.append(user("Begin with src/1.ts."));
  for (let index = 0; index < rounds; index++) {
    const { messages, edits } = await session.prepare(request);
    systemText.push(JSON.stringify(messages), JSON.stringify(edits));
    for (const { edit } of edits) kinds.add(edit.kind);
    const id = `c${index}`;
    const reads = { ...call(id), name: "Read", input: { file_path: `/src/${index}.ts` } } as ContentBlock;
    await session.record({ messages: [assistant(`r${index}`, `I read file ${index}.`, reads)] });
    await session.append(user(result(id, lines(rowsOf(index), `file ${index}`))));
    if (index % 9 === 8) await session.append(user(`Next: ${lines(30, `paste ${index}`)}`));
  }
  return { systemText: systemText.join("\n"), kinds };
}

const WINDOWS: readonly {
  readonly kind: string;
  readonly window: WindowOptions;
  readonly rowsOf?: (index: number) => number;
}[] = [
  { kind: "extractive", window: { editSafety: "strict" } },
  { kind: "extractive", window: { editSafety: "permissive", disabledLayers: ["offload", "microcompact"] } },
  { kind: "offload", window: { editSafety: "permissive" }, rowsOf: () => 150 },
  { kind: "microcompact", window: { editSafety: "permissive" } },
  { kind: "collapse", window: { editSafety: "permissive", disabledLayers: ["microcompact", "extractive"] } },
  {
    kind: "peel",
    window: {
      editSafety: "permissive",
      disabledLayers: ["offload", "microcompact", "collapse", "extractive"],
    },
  },
];

describe("a host's own loop", () => {
  it.each(WINDOWS)("without the tools reads of none: $kind, $window.editSafety", async ({
    kind,
    window,
    rowsOf,
  }) => {
    const { session } = await aSession({ windowTokens: 24_000, policy: "faithful", ...window });
    const { systemText, kinds } = await work(session, REQUEST, {
      rowsOf,
    });
    expect(kinds).toContain(kind);
    expect(systemText).not.toMatch(/history_|earch the history/);
    expect(systemText).toMatch(/in the session's log/);
  });

  it.each(WINDOWS)("with the tools reads of them: $kind, $window.editSafety", async ({
    kind,
    window,
    rowsOf,
  }) => {
    const { session } = await aSession({ windowTokens: 24_000, policy: "faithful", ...window });
    const { systemText, kinds } = await work(session, WITH_TOOLS, {
      rowsOf,
    });
    expect(kinds).toContain(kind);
    expect(systemText).toMatch(NAMED);
    expect(systemText).not.toMatch(/in the session's log/);
  });

  it.each([
    { shape: "Anthropic's", tools: DECLARED, isNamed: true },
    {
      shape: "OpenAI's Chat Completions",
      tools: HISTORY_TOOLS.map(({ name }) => ({ type: "function", function: { name, parameters: {} } })),
      isNamed: true,
    },
    {
      shape: "OpenAI's Responses and the AI SDK's",
      tools: HISTORY_TOOLS.map(({ name }) => ({ type: "function", name, parameters: {} })),
      isNamed: true,
    },
    { shape: "one of the two only", tools: DECLARED.slice(0, 1), isNamed: false },
    {
      shape: "another tool that tells of them",
      tools: [{ ...OWN_TOOL, description: 'Like "name":"history_search" and "name":"history_read".' }],
      isNamed: false,
    },
    { shape: "no tools at all", tools: undefined, isNamed: false },
    { shape: "tools that the host sends by another way", tools: undefined, says: true, isNamed: true },
    { shape: "declared, and said to be missing", tools: DECLARED, says: false, isNamed: false },
  ])("knows the tools in each shape: $shape", async ({ tools, says, isNamed }) => {
    const { session } = await aSession({ windowTokens: 24_000 });
    await session.append(user("Begin."));
    await session.prepare({
      model: "gpt-4o",
      tools,
      historyTools: says,
    });
    await session.append(user(lines(900, "paste")));
    expect(NAMED.test(JSON.stringify(session.visible))).toBe(isNamed);
  });

  it.each([
    { request: REQUEST, named: 0, last: / tokens left out here; kept in the session's log as m\d+\.0 …\]/ },
    { request: WITH_TOOLS, named: 1, last: / tokens left out here; read them with history_read\(/ },
  ])("before any request reads of none, and after it was opened again as it did before: $named", async ({
    request,
    named,
    last,
  }) => {
    const { session, reopen } = await aSession({ windowTokens: 24_000 });
    await session.append(user(lines(900, "first paste")));
    expect(JSON.stringify(session.visible)).toMatch(
      / about 11,221 tokens left out here; kept in the session's log as m\d+\.0 …\]/,
    );
    await session.prepare(request);
    await session.record({ messages: [assistant("r1", "Seen.")] });
    await session.close();
    const again = await reopen();
    await again.append(user(lines(900, "second paste")));
    const shown = again.visible.map((message) => JSON.stringify(message));
    expect(shown.filter((message) => NAMED.test(message))).toHaveLength(named);
    expect(shown.at(-1)).toMatch(last);
  });

  it("reads of none in the place of media that a provider refused", async () => {
    const { session } = await aSession({ editSafety: "permissive" });
    await session.append([user("Look.", image), assistant("r1", "Seen."), user("And this.", image)]);
    internalsOf(session).budgets.refused({ what: "media" });
    const { messages, edits } = await session.prepare(REQUEST);
    expect(edits.map(({ edit }) => edit.reason)).toEqual(["media"]);
    expect(messages[0]?.content[1]).toEqual({
      type: "text",
      text: "[image, 2,078 characters encoded, not shown; kept in the session's log as m2.1]",
    });
    expect(JSON.stringify(edits)).not.toMatch(/history_/);
  });
});

describe("a session with a model", () => {
  const agentRequest = { system: "Be brief.", tools: [OWN_TOOL] };

  /** The host's own loop over a session that asks a model for summaries. */
  async function loop(notes: "off" | { readonly costShareCap: "off" }, tools: readonly unknown[]) {
    const stage = await setTheStage({ notes, window: { editSafety: "permissive" } });
    const { session } = stage;
    const systemText: string[] = [];
    await session.append(user(`Begin. ${wordsOf(300)}`));
    for (let index = 0; index < 60; index++) {
      const { messages, edits } = await session.prepare({ ...agentRequest, tools });
      systemText.push(JSON.stringify(messages), JSON.stringify(edits));
      if (edits.some(({ edit }) => edit.isBoundary === true))
        return { stage, systemText: systemText.join("\n"), kinds: edits.map(({ edit }) => edit.kind) };
      const id = `c${index}`;
      const input = index === 0 ? { plan: `First, ${wordsOf(5_000)}` } : { file_path: `/src/${index}.ts` };
      const message = { ...call(id), name: index === 0 ? "ExitPlanMode" : "Read", input } as ContentBlock;
      await session.record({ messages: [assistant(`r${index}`, `Round ${index}.`, message)] });
      await session.append(user(result(id, lines(200, `file ${index}`))));
      await session.notesSettled();
    }
    throw new Error("no compaction");
  }

  it.each([
    { kind: "full", notes: "off" },
    { kind: "session-memory", notes: { costShareCap: "off" } },
  ] as const)("without the tools reads of none: $kind", async ({ kind, notes }) => {
    const { systemText, kinds } = await loop(notes, [OWN_TOOL]);
    expect(kinds).toEqual([kind]);
    expect(systemText).not.toMatch(/history_|earch the history/);
    expect(systemText).toMatch(/The complete history is kept in the session's log;/);
    expect(systemText).toMatch(/all of it kept in the session's log as m\d+\.\d+/);
    expect(systemText).toMatch(/read the file for more/);
  });

  it.each([
    { kind: "full", notes: "off" },
    { kind: "session-memory", notes: { costShareCap: "off" } },
  ] as const)("with the tools reads of them: $kind", async ({ kind, notes }) => {
    const { systemText, kinds } = await loop(notes, [OWN_TOOL, ...DECLARED]);
    expect(kinds).toEqual([kind]);
    expect(systemText).toMatch(/The complete history is kept. Search it with `history_search/);
    expect(systemText).toMatch(/all of it with history_read\(\{ pointer/);
    expect(systemText).toMatch(/more with history_read\(\{ pointer: \\"m\d+\.\d+\\" \}\), or read the file/);
  });

  it("compacts by hand as its last request was; where there was none, it reads of none", async () => {
    const { stage } = await loop("off", [OWN_TOOL]);
    await stage.session.append(user(`More. ${wordsOf(3_000)}`));
    const after = JSON.stringify((await stage.session.compact()).edits);
    expect(after).not.toMatch(NAMED);
    const fresh = await setTheStage({ window: { editSafety: "permissive" } });
    await fresh.session.append([
      user(`Begin. ${wordsOf(6_000)}`),
      assistant("r1", wordsOf(6_000)),
      user("Go on."),
    ]);
    const before = JSON.stringify((await fresh.session.compact()).edits);
    expect(before).toContain("The complete history is kept in the session's log;");
    expect(before).not.toMatch(NAMED);
  });

  it.each([
    { historyTools: true, isNamed: true },
    { historyTools: false, isNamed: false },
  ])("in turns goes by what the turn offers: $historyTools", async ({ historyTools, isNamed }) => {
    const { session, model, events } = await setTheStage({ calls: 30 });
    await session.turn("Read all files.", { tools: [docsTool(1_200)], historyTools });
    expect(events.filter((event) => event.type === "layer").length).toBeGreaterThan(0);
    const sent = JSON.stringify(model.requests.map(({ messages }) => messages));
    expect(NAMED.test(sent)).toBe(isNamed);
  });

  it.each([
    { tools: [], historyTools: true, isNamed: true },
    { tools: [], historyTools: false, isNamed: false },
    { tools: HISTORY_TOOLS, historyTools: false, isNamed: true },
    { tools: HISTORY_TOOLS.slice(1), historyTools: false, isNamed: false },
  ])("knows it from the first message on: $historyTools, $tools.length tools", async ({
    tools,
    historyTools,
    isNamed,
  }) => {
    const { session, model } = await setTheStage({ calls: 0, window: { disabledLayers: [] } });
    const own = tools.map((tool) => ({ ...tool, run: () => "" }));
    await session.turn(lines(900, "first paste"), { tools: own, historyTools });
    const sent = JSON.stringify(model.requests[0]?.messages);
    expect(sent).toContain("tokens left out here");
    expect(NAMED.test(sent)).toBe(isNamed);
  });
});
