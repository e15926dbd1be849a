/**
 * A long conversation in a small window: `palimpsest run`, the agent of the command line, reads this checkout, file by file,
 * until 600K tokens were said, in a window of 64K. Then its user asks about things from long before. No key and no network:
 * a scripted provider on this machine plays the vendor, and the agent reaches it over HTTP by the vendor's SDK. Its script sees
 * a request and nothing else, and looks old things up with the two history tools.
 *
 * Afterwards the session is opened again and checked: answers, requests, windows, blocks. `npm start` runs this file;
 * `node examples/11-a-long-conversation.mjs FOLDER` works in another folder (default: the installed library).
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openHome } from "palimpsest";
import { formatPointer } from "palimpsest/compaction";
import { fromAnthropic, toAnthropic, toOpenAIChat } from "palimpsest/formats";
import { estimateMessage } from "palimpsest/tokens";
import { blockText } from "palimpsest/transcript";
import { callTool, judgeOpenAIChatRequest, say, scriptedProvider } from "palimpsest-testing";

const TARGET_TOKENS = 600_000;
const WINDOW_TOKENS = 64_000;
/** The provider's own count, independent of the library's estimate. */
const BYTES_PER_TOKEN = 3.4;
const MAX_FILES = 400;
const READ_LINES = 400;
/** Its output is in the log only. */
const SIDE_CALL =
  /^This message is not from the user|^The window of this conversation is almost full|^The following transcript/;
const FIRST_COMMAND = `node -p "'time at the start: ' + Date.now()"`;
const COMMAND = join(
  dirname(fileURLToPath(import.meta.resolve("palimpsest-cli/package.json"))),
  "bin/palimpsest.mjs",
);
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

// ---- the conversation: a command for each message of the user

const layers = new Map();
const callSeqs = [];
/** Everything that was said, as the command reported it when it happened. */
const originals = { prompts: [], answers: [], results: new Map() };
/** Hashes of the conversations that the vendor got, and the rules of OpenAI that they would break. */
const sent = new Set();
const violations = [];
let sessionId;
let peakTokens = 0;
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
await provider.close();

// ---- the checks, on the session as it is stored

const home = openHome({ home: folder, workingCopy: WORKSPACE, persistence: true });
const session = await home.resume(sessionId, { window: { windowTokens: WINDOW_TOKENS } });
const requests = provider.requests.filter(({ purpose }) => purpose === "answer");
// Rebuilding a window reads the log up to it, so every eighth is rebuilt.
const sampled = callSeqs.filter((_, index) => index % 8 === 0);
let differentWindows = 0;
for (const seq of sampled)
  if (!sent.has(hashOf(withoutMarks(toAnthropic(await session.windowAt(seq)))))) differentWindows += 1;
const { blocks, lostBlocks } = await compareBlocks();
await session.close();
await home.close();
rmSync(folder, { recursive: true });

const billedTokens = Math.max(...requests.map(({ promptTokens }) => promptTokens));
const checks = [
  [`No request above the window: at most ${kilo(peakTokens)} tokens`, provider.overflows.length === 0],
  [`A second count, by bytes, agrees: at most ${kilo(billedTokens)}`, billedTokens <= WINDOW_TOKENS],
  ["Every request is valid for Anthropic", provider.violations.length === 0],
  ["Every request is valid for OpenAI", violations.length === 0],
  [
    `${sampled.length} of ${callSeqs.length} windows rebuilt from the log are identical`,
    differentWindows === 0,
  ],
  [`All ${blocks} blocks read back byte for byte`, lostBlocks === 0],
];
const mark = (isTrue) => (isTrue ? "✓" : "✗");
console.log(
  [
    `palimpsest run worked through ${files.length} files: ${toolCalls} tool calls, ${callSeqs.length} calls of its model.`,
    `They said ${kilo(conversationTokens)} tokens, ${(conversationTokens / WINDOW_TOKENS).toFixed(1)} times the window of ${kilo(WINDOW_TOKENS)}.`,
    "",
    ...chart(requests.map(({ promptTokens }) => promptTokens)),
    `         ${[...layers].map(([layer, count]) => `${layer} ${count}`).join(" · ")}`,
    "",
    ...answers.flatMap(({ question, answer, foundBy, isRight }) => [
      `  ${mark(isRight)} ${question}`,
      `    ${answer ?? "not found"} · ${foundBy === "window" ? "still in the window" : `by ${foundBy}`}`,
    ]),
    "",
    ...checks.map(([words, holds]) => `  ${mark(holds)} ${words}`),
    "",
    "Chat with a model of your own: ANTHROPIC_API_KEY=… npx palimpsest chat  (or start Ollama, and leave the key out)",
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

// ---- the agent

/** One turn: a command that begins the session or continues it, and prints what happens, a line each. */
async function takeTurn(words) {
  originals.prompts.push(words);
  count({ role: "user", content: [{ type: "text", text: words }] });
  const options = [
    ...[
      "--model",
      "claude-opus-5-5",
      "--window",
      String(WINDOW_TOKENS),
      "--bare",
      "--output-format",
      "stream-json",
    ],
    ...["--allowed-tools", `shell(${FIRST_COMMAND})`],
    ...(sessionId === undefined ? [] : ["--resume", sessionId]),
  ];
  const env = {
    ...process.env,
    PALIMPSEST_TEST_PERSISTENCE: "1", // Also where a test runs this: the sessions are looked at afterwards.
    PALIMPSEST_HOME: folder,
    ANTHROPIC_API_KEY: "any",
    ANTHROPIC_BASE_URL: provider.url,
  };
  const child = spawn(process.execPath, [COMMAND, "run", ...options], {
    cwd: WORKSPACE,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(words);
  const ended = new Promise((done) => child.on("close", done));
  for await (const line of createInterface({ input: child.stdout })) take(JSON.parse(line));
  assert.equal(await ended, 0, `${words}: the command failed`);
}

/** Takes in what the command says that happened. */
function take({ type, message, event, session_id }) {
  if (type === "result") sessionId = session_id;
  if (type === "assistant") {
    originals.answers.push(message.content);
    count(message);
    toolCalls += message.content.filter((block) => block.type === "tool_use").length;
  }
  if (type === "user")
    for (const block of message.content) {
      originals.results.set(block.tool_use_id, block);
      count({ role: "user", content: [block] });
    }
  if (type !== "session") return;
  if (event.type === "call") {
    callSeqs.push(event.seq);
    peakTokens = Math.max(peakTokens, event.tokens);
  }
  const layer = event.type === "offloaded" ? "offload" : event.type === "layer" ? event.layer : undefined;
  if (layer !== undefined) layers.set(layer, (layers.get(layer) ?? 0) + 1);
}

function count(message) {
  conversationTokens += estimateMessage(message);
  if (process.stderr.isTTY) process.stderr.write(`\r${kilo(conversationTokens)} tokens said `);
}

// ---- the model

/** Answers a request: a summary, notes, a step of the work, or what the user asks for. */
function decide({ body, toolNames, lastUserText }) {
  sent.add(hashOf(withoutMarks(body.messages)));
  const { messages } = fromAnthropic(body.messages);
  violations.push(...judgeOpenAIChatRequest({ model: body.model, messages: toOpenAIChat(messages) }));
  // A summary, notes and memories are asked for by a message that says what it is at its beginning.
  if (!toolNames.includes("read") || SIDE_CALL.test(lastUserText)) return sideCall(lastUserText);
  if (lookup !== undefined) return findAnswer(lookup, body.messages);
  if (conversationTokens < goalTokens) return work.next().value;
  return say(`That is where I am: ${toolCalls} calls of tools so far, nothing changed.`);
}

/** Summaries, notes and memories are asked of the same model. This one writes short summaries, and nothing else. */
function sideCall(asked) {
  if (!asked.includes("<summary>")) return say("Nothing to add.");
  const sections = Array.from(
    { length: 9 },
    (_, index) => `${index + 1}. Read all code, file by file; change nothing.`,
  );
  return say(`<summary>\n${sections.join("\n")}\n</summary>`);
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
  yield [
    say(turns[0].reply),
    callTool("shell", { command: FIRST_COMMAND }),
    callTool("glob", { pattern: "**/*" }),
  ];
  for (let pass = 0; ; pass++)
    for (let index = 0; index < files.length; index += 2) {
      const pair = files.slice(index, index + 2);
      const reads = pair.map(({ path, lines }) =>
        callTool("read", { path, offset: 1 + ((pass * READ_LINES) % lines), limit: READ_LINES }),
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
        expected: () =>
          /time at the start: (\d{13})/.exec([...originals.results.values()].map(blockText).join("\n"))[1],
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

/** Every block of the conversation, as it is read back from the log, beside what was originals. */
async function compareBlocks() {
  let [blocks, lostBlocks, prompts, replies] = [0, 0, 0, 0];
  const log = await home.storeOf().open(sessionId);
  for await (const { entries } of log.readAll())
    for (const { entry } of entries) {
      if (entry.type !== "message" || !["user", "assistant", "tool"].includes(entry.origin)) continue;
      const { role, origin, content } = entry;
      const reply = role === "assistant" ? originals.answers[replies++] : undefined;
      for (const [block, stored] of content.entries()) {
        blocks += 1;
        // A large block lies beside the log, and its entry shows a preview.
        const { tool_use_id: id } = stored.shown ?? stored;
        const pointer = formatPointer({ seq: entry.seq, block });
        const read = await session.history.block(pointer);
        const original =
          origin === "tool"
            ? blockText(originals.results.get(id))
            : origin === "user"
              ? originals.prompts[prompts++]
              : reply[block];
        const isWhole =
          origin === "assistant"
            ? JSON.stringify(read) === JSON.stringify(original)
            : blockText(read) === original;
        if (!isWhole || (await readAllPages(pointer)) !== blockText(read)) lostBlocks += 1;
      }
    }
  await log.close();
  return { blocks, lostBlocks };
}

/** Messages without the marks of the prompt cache: they do not belong to the conversation. */
function withoutMarks(messages) {
  return JSON.parse(JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value)));
}

async function readAllPages(pointer) {
  let text = "";
  for (let offset = 0; offset !== undefined; ) {
    const page = await session.history.read(pointer, { offset, limit: 100_000 });
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
