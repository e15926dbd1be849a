/**
 * A long conversation in a small window: an agent reads this checkout, file by file, until 600K tokens were said, in
 * a window of 64K. Then its user asks about things from long before. No key and no network: a scripted provider plays
 * the model. Its script sees a request and nothing else, and looks old things up with the two history tools.
 *
 * Afterwards the session is opened again and checked: answers, requests, windows, blocks. `npm start` runs this file;
 * `node examples/11-a-long-conversation.mjs FOLDER` works in another folder (default: the installed library).
 */
import assert from "node:assert/strict";
import { exec } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { nodeSessions } from "palimpsest";
import { formatPointer, HISTORY_TOOLS } from "palimpsest/compaction";
import { toAnthropic, toOpenAIChat } from "palimpsest/formats";
import { estimateMessage } from "palimpsest/tokens";
import { blockText } from "palimpsest/transcript";
import { callTool, judgeOpenAIChatRequest, say, scriptedProvider } from "palimpsest-testing";

const TARGET_TOKENS = 600_000;
const WINDOW_TOKENS = 64_000;
/** The provider's own count, independent of the library's estimate. */
const BYTES_PER_TOKEN = 3.4;
const MAX_FILES = 400;
const READ_LINES = 400;
const READ_CHARACTERS = 20_000;
/** Its output is in the log only. */
const FIRST_COMMAND = `node -p "'time at the start: ' + Date.now()"`;
const WORKSPACE = resolve(
  process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.resolve("palimpsest")))),
);

const files = sourceFiles(WORKSPACE);
assert.ok(files.length > 0, `${WORKSPACE} has no JavaScript, TypeScript or Markdown to read`);
const { facts, turns } = writeStory();
const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
const provider = await scriptedProvider({
  script: decide,
  windowTokens: WINDOW_TOKENS,
  countTokens: (text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN),
});
const sdk = new Anthropic({ apiKey: "any", baseURL: provider.url });

// ---- the conversation

const layers = new Map();
const options = {
  window: { windowTokens: WINDOW_TOKENS },
  observer: {
    onEvent: ({ type, layer }) => {
      const name = type === "offloaded" ? "offload" : type === "layer" ? layer : undefined;
      if (name !== undefined) layers.set(name, (layers.get(name) ?? 0) + 1);
    },
  },
};
const tool = (name, description, properties) => {
  const input_schema = { type: "object", properties, required: Object.keys(properties) };
  return { name, description, input_schema };
};
const text = { type: "string" };
const request = {
  model: "claude-opus-5-5",
  system:
    "You review code and change nothing. Look up what you no longer see with history_search and history_read.",
  tools: [
    tool("list_files", "Lists all files.", {}),
    tool("read_file", "Reads lines of a file.", { path: text, line: { type: "integer" } }),
    tool("grep", "Finds a string in all files.", { pattern: text }),
    tool("shell", "Runs a command.", { command: text }),
    ...HISTORY_TOOLS.map(({ inputSchema, ...rest }) => ({ ...rest, input_schema: inputSchema })),
  ],
};

const sessions = nodeSessions({ folder });
const session = await sessions.create(options);
const calls = [];
const originals = new Map();
const violations = [];
let conversationTokens = 0;
let goalTokens = 0;
let toolCalls = 0;
let lookup;
const work = planWork();

for (const { share, words } of turns) {
  goalTokens = TARGET_TOKENS * share;
  await takeTurn(words);
}
const answers = [];
for (const fact of facts) {
  lookup = { fact, foundBy: "window" };
  await takeTurn(fact.question);
  answers.push({
    ...fact,
    answer: lookup.answer,
    foundBy: lookup.foundBy,
    isRight: lookup.answer === fact.expected(),
  });
}
await session.close();
await provider.close();

// ---- the checks, on the session as it is stored

const reopened = await sessions.open(session.id, options);
// Rebuilding a window reads the log up to it, so every eighth is rebuilt.
const sampled = calls.filter((_, index) => index % 8 === 0);
let differentWindows = 0;
for (const { callSeq, hash } of sampled)
  if (hashOf(await reopened.windowAt(callSeq)) !== hash) differentWindows += 1;
let blocks = 0;
let lostBlocks = 0;
for (const [seq, message] of originals)
  for (const [block, original] of message.content.entries()) {
    blocks += 1;
    const pointer = formatPointer({ seq, block });
    const isWhole = JSON.stringify(await reopened.history.block(pointer)) === JSON.stringify(original);
    if (!isWhole || (await readAllPages(pointer)) !== blockText(original)) lostBlocks += 1;
  }
await reopened.close();
rmSync(folder, { recursive: true });

const peakTokens = Math.max(...calls.map(({ tokens }) => tokens));
const billedTokens = Math.max(...provider.requests.map(({ promptTokens }) => promptTokens));
const checks = [
  [`No request above the window: at most ${kilo(peakTokens)} tokens`, provider.overflows.length === 0],
  [`A second count, by bytes, agrees: at most ${kilo(billedTokens)}`, billedTokens <= WINDOW_TOKENS],
  ["Every request is valid for Anthropic", provider.violations.length === 0],
  ["Every request is valid for OpenAI", violations.length === 0],
  [`${sampled.length} of ${calls.length} windows rebuilt from the log are identical`, differentWindows === 0],
  [`All ${blocks} blocks read back byte for byte`, lostBlocks === 0],
];
const mark = (isTrue) => (isTrue ? "✓" : "✗");
console.log(
  [
    `A scripted agent worked through ${files.length} files: ${toolCalls} tool calls, ${calls.length} calls of its model.`,
    `They said ${kilo(conversationTokens)} tokens, ${(conversationTokens / WINDOW_TOKENS).toFixed(1)} times the window of ${kilo(WINDOW_TOKENS)}.`,
    "",
    ...chart(calls.map(({ tokens }) => tokens)),
    `         ${[...layers].map(([layer, count]) => `${layer} ${count}`).join(" · ")}`,
    "",
    ...answers.flatMap(({ question, answer, foundBy, isRight }) => [
      `  ${mark(isRight)} ${question}`,
      `    ${answer ?? "not found"} · ${foundBy === "window" ? "still in the window" : `by ${foundBy}`}`,
    ]),
    "",
    ...checks.map(([words, holds]) => `  ${mark(holds)} ${words}`),
  ].join("\n"),
);
assert.deepEqual(
  answers.filter(({ isRight }) => !isRight),
  [],
  "every answer is right",
);
assert.deepEqual(
  checks.filter(([, holds]) => !holds),
  [],
  "every check holds",
);
assert.ok(conversationTokens > TARGET_TOKENS && peakTokens < 57_000, "far more was said than fits");
assert.ok(
  answers.some(({ foundBy }) => foundBy !== "window"),
  "some answers had left the window",
);

// ---- the agent's loop

/** One turn: the user speaks; then the model is called, and its tools run, until it calls none. */
async function takeTurn(words) {
  await keep({ role: "user", origin: "user", content: [{ type: "text", text: words }] });
  for (;;) {
    const call = await session.prepare(request);
    calls.push({ callSeq: call.callSeq, tokens: call.tokens.total, hash: hashOf(call.messages) });
    const body = { model: call.model, messages: toOpenAIChat(call.messages, { system: call.system }) };
    violations.push(...judgeOpenAIChatRequest(body));
    const { id, content, usage, stop_reason } = await sdk.messages.create({
      model: call.model,
      max_tokens: 4_000,
      system: call.system,
      tools: call.tools,
      messages: toAnthropic(call.messages, { cacheMarks: call.cacheMarks }),
    });
    const answer = { role: "assistant", responseId: id, model: call.model, content };
    const reported = {
      inputTokens: usage.input_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
      outputTokens: usage.output_tokens,
    };
    keepAs(await session.record({ messages: [answer], usage: reported, stopReason: stop_reason }), answer);
    const uses = content.filter(({ type }) => type === "tool_use");
    if (process.stderr.isTTY) process.stderr.write(`\r${kilo(conversationTokens)} tokens said `);
    if (uses.length === 0) return;
    toolCalls += uses.length;
    const results = [];
    for (const { id: tool_use_id, name, input } of uses) {
      const result = (await session.history.runTool(name, input)) ?? (await runTool(name, input));
      results.push({ type: "tool_result", tool_use_id, content: result });
    }
    await keep({ role: "user", content: results });
  }
}

async function keep(message) {
  keepAs(await session.append(message), message);
}

/** Remembers what was appended, to compare it with the log at the end. */
function keepAs([seq], message) {
  originals.set(seq, message);
  conversationTokens += estimateMessage(message);
}

async function runTool(name, { path, line = 1, pattern, command }) {
  if (name === "list_files") return files.map((file) => `${file.bytes} ${file.path}`).join("\n");
  if (name === "shell") return (await promisify(exec)(command, { cwd: WORKSPACE })).stdout;
  if (name === "read_file") {
    const lines = readFileSync(join(WORKSPACE, path), "utf8")
      .split("\n")
      .slice(line - 1, line - 1 + READ_LINES);
    return lines
      .map((content, index) => `${line + index}\t${content}`)
      .join("\n")
      .slice(0, READ_CHARACTERS);
  }
  const matches = files.flatMap((file) =>
    readFileSync(join(WORKSPACE, file.path), "utf8")
      .split("\n")
      .flatMap((content, index) =>
        content.includes(pattern) ? [`${file.path}:${index + 1}:${content.trim().slice(0, 200)}`] : [],
      ),
  );
  return matches.slice(0, 100).join("\n") || "No file has it.";
}

// ---- the model

/** Answers a request: a step of the work, or what the user asks for. */
function decide({ body }) {
  if (lookup !== undefined) return findAnswer(lookup, body.messages);
  if (conversationTokens < goalTokens) return work.next().value;
  return say(`That is where I am: ${toolCalls} calls of tools so far, nothing changed.`);
}

/** Looks at the window; if the answer is not there, searches the history, then reads the hits. */
function findAnswer(state, messages) {
  const { pattern, query } = state.fact;
  const seen = pattern.exec(messages.flatMap(({ content }) => content.map(blockText)).join("\n"))?.[1];
  if (seen !== undefined) {
    state.answer = seen;
    return say(`It is ${seen}.`);
  }
  if (state.foundBy === "window") {
    state.foundBy = "history_search";
    return [say("I no longer see that. I search the history."), callTool("history_search", { query })];
  }
  const result = blockText(messages.at(-1).content[0]);
  state.pointers ??= [...result.matchAll(/^- (m\d+\.\d+) /gm)].map(([, pointer]) => pointer);
  state.foundBy = "history_read";
  const next = /go on with history_read\(\{ pointer: "(m\d+\.\d+)", offset: (\d+) \}\)/.exec(result);
  if (next !== null) return callTool("history_read", { pointer: next[1], offset: Number(next[2]) });
  const pointer = state.pointers.shift();
  return pointer === undefined ? say("I could not find that.") : callTool("history_read", { pointer });
}

/** The steps of the work, without end: a command and a list, then two files at a time, and a search for a name. */
function* planWork() {
  yield [say(turns[0].reply), callTool("shell", { command: FIRST_COMMAND }), callTool("list_files")];
  for (let pass = 0; ; pass++)
    for (let index = 0; index < files.length; index += 2) {
      const pair = files.slice(index, index + 2);
      const reads = pair.map(({ path, lines }) =>
        callTool("read_file", { path, line: 1 + ((pass * READ_LINES) % lines) }),
      );
      yield [say(`Now ${pair.map(({ path }) => path).join(" and ")}.`), ...reads];
      const [name] =
        /[a-z]+[A-Z][A-Za-z]{6,}/.exec(readFileSync(join(WORKSPACE, pair[0].path), "utf8")) ?? [];
      if (name !== undefined && index % 8 === 0)
        yield [say(`Where else is ${name} used?`), callTool("grep", { pattern: name })];
    }
}

// ---- what the user says

/** The user's turns and final questions. The values depend on the files, and no file contains them. */
function writeStory() {
  const seed = hashOf(files);
  const number = (at, from, count) => from + (Number.parseInt(seed.slice(at, at + 7), 16) % count);
  const ticket = `PAL-${number(0, 1_000, 9_000)}`;
  const rows = String(number(7, 3, 7));
  const sentence = `A careful binder keeps all ${number(14, 100, 900)} pages that the quill forgot.`;
  const suffix = ["ledger", "planner", "folio", "gauge"][number(21, 0, 4)];
  const port = String(number(28, 20_000, 40_000));
  const review = `QX-${number(35, 1_000, 9_000)}`;
  const extension = String(number(42, 1_000, 9_000));

  const rules = Array.from({ length: 420 }, (_, index) =>
    index === 160
      ? `${index}. The name of every new module ends in -${suffix}.`
      : `${index}. Part ${index % 41} has one owner, and is reviewed every ${2 + (index % 17)} weeks.`,
  );
  const log = Array.from({ length: 640 }, (_, index) =>
    index === 410
      ? `${index} INFO gateway: staging server listens on port ${port} from now on`
      : `${index} INFO gateway GET /v1/sessions 200 in ${12 + (index % 83)} ms, request ${hashOf(index).slice(0, 8)}`,
  );
  return {
    turns: [
      {
        share: 0.05,
        words: [
          "Read all of this code, file by file, and change nothing.",
          `The ticket for this work is ${ticket}. In reports I prefer tables of at most ${rows} rows.`,
          `The first line of the report is, word for word: “${sentence}”`,
        ].join("\n"),
        reply: `I begin with an overview. I file this work as review ${review}.`,
      },
      { share: 0.12, words: ["These are the rules of the project.", ...rules].join("\n") },
      { share: 0.3, words: ["This is the gateway's log of last night.", ...log].join("\n") },
      { share: 0.7, words: `Go on. If anything is unclear, call extension ${extension}.` },
      { share: 1, words: "Fine so far. Look at the tests as well." },
    ],
    facts: [
      fact("Which ticket is this work for?", "ticket for this work is", "(PAL-\\d{4})", ticket),
      fact("How many rows may a table have?", "prefer tables of at most", "(\\d+) rows", rows),
      fact("What is the first line of the report?", "is, word for word:", "“([^”$]+)”", sentence),
      fact("In what do names of new modules end?", "name of every new module ends in", "-([a-z]+)", suffix),
      fact("Which port has the staging server?", "staging server listens on port", "(\\d{5})", port),
      fact("Under which number did you file this?", "file this work as review", "(QX-\\d{4})", review),
      fact("Whom do I call if anything is unclear?", "unclear, call extension", "(\\d{4})", extension),
      {
        ...fact("What time did your first command print?", "time at the start:", "(\\d{13})"),
        expected: () => /(\d{13})/.exec(blockText([...originals.values()][2].content[0]))[1],
      },
    ],
  };
}

/** A question, the words to search for, and a pattern for the answer that follows them. */
function fact(question, words, value, expected) {
  return {
    question,
    query: `"${words}"`,
    pattern: new RegExp(`${words} ${value}`),
    expected: () => expected,
  };
}

// ---- helpers

/** Source files and documents below a folder, without hidden, installed and built ones. */
function sourceFiles(root) {
  const found = [];
  const folders = [""];
  for (const path of folders) // grows while it is read
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (/^\.|^(node_modules|build|tmp)$/.test(entry.name)) continue;
      if (entry.isDirectory()) folders.push(inner);
      else if (entry.isFile() && /\.(ts|js|mjs|md)$/.test(entry.name)) {
        const content = readFileSync(join(root, inner));
        found.push({ path: inner, bytes: content.length, lines: content.toString().split("\n").length });
      }
    }
  return found.slice(0, MAX_FILES);
}

async function readAllPages(pointer) {
  let text = "";
  for (let offset = 0; offset !== undefined; ) {
    const page = await reopened.history.read(pointer, { offset, limit: 100_000 });
    text += page.text;
    offset = page.nextOffset;
  }
  return text;
}

/** The window over time: a column for some calls, an eighth of a row as the smallest step. */
function chart(sizes) {
  const rows = 6;
  const perColumn = Math.ceil(sizes.length / 60);
  const columns = Array.from({ length: Math.ceil(sizes.length / perColumn) }, (_, column) =>
    Math.max(...sizes.slice(column * perColumn, (column + 1) * perColumn)),
  );
  const eighths = (size) => (size / WINDOW_TOKENS) * rows * 8;
  const lines = Array.from({ length: rows }, (_, index) => {
    const below = (rows - 1 - index) * 8;
    const bars = columns.map(
      (size) => " ▁▂▃▄▅▆▇█"[Math.round(Math.min(8, Math.max(0, eighths(size) - below)))],
    );
    return `${(index === 0 ? kilo(WINDOW_TOKENS) : "").padStart(6)} ┤ ${bars.join("")}`;
  });
  return [...lines, `     0 └${"─".repeat(columns.length + 1)}`];
}

function kilo(tokens) {
  return `${Math.round(tokens / 1_000)}K`;
}

function hashOf(value) {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
