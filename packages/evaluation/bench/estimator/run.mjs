/**
 * Measures the error of the estimator against the tokens that providers billed in recorded sessions.
 *
 * Run `npm run build` first, then `node packages/evaluation/bench/estimator/run.mjs [--dist DIR] [CORPUS]`.
 * The corpus is taken from the argument, `PALIMPSEST_CORPUS`, or `../shared/corpus` beside the repository.
 */
import { fileURLToPath } from "node:url";
import { absoluteQuantile, measureSession, signedMedian } from "./measure.mjs";
import { loadRecordedSessions } from "./recorded-usage.mjs";

const root = new URL("../../../../", import.meta.url);
const values = process.argv.slice(2);
const distAt = values.indexOf("--dist");
const dist =
  distAt === -1 ? new URL("build/node_modules/", root).href : `file://${values.splice(distAt, 2)[1]}/`;
const corpus = values[0] ?? process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root));

const { UsageLedger } = await import(`${dist}palimpsest/dist/tokens/count/usage-ledger.js`);
const { estimateMessage } = await import(`${dist}palimpsest/dist/tokens/estimate/estimate-block.js`);
const { estimateText } = await import(`${dist}palimpsest/dist/tokens/estimate/character-automaton.js`);

const sessions = loadRecordedSessions(corpus);
if (sessions.length === 0) {
  console.error(`No recorded sessions under ${corpus}.`);
  process.exit(1);
}
const measured = sessions.map((session) => measureSession(session, { UsageLedger, estimateMessage }));
printErrors(measured);
printSpeed();
printWorstInputs();
printHotPath();

function printErrors(sessionsMeasured) {
  const percent = (value) => (Number.isNaN(value) ? "-" : `${(value * 100).toFixed(2)}`).padStart(8);
  console.log(
    "All figures in per cent; increments after the first calls, without attachment, boundary or media.\n",
  );
  console.log(
    `${"session".padEnd(24)}${"increments".padStart(11)}${"median".padStart(8)}${"|e| p50".padStart(8)}${"|e| p95".padStart(8)}` +
      `${"contexts".padStart(11)}${"|e| p50".padStart(8)}${"|e| p95".padStart(8)}${"ratio".padStart(8)}${"padding".padStart(8)}`,
  );
  const line = (name, increments, contexts, tail = "") =>
    console.log(
      name.padEnd(24) +
        String(increments.length).padStart(11) +
        percent(signedMedian(increments)) +
        percent(absoluteQuantile(increments, 0.5)) +
        percent(absoluteQuantile(increments, 0.95)) +
        String(contexts.length).padStart(11) +
        percent(absoluteQuantile(contexts, 0.5)) +
        percent(absoluteQuantile(contexts, 0.95)) +
        tail,
    );
  for (const one of sessionsMeasured) {
    const learned = one.ratio.toFixed(2).padStart(8) + one.padding.toFixed(2).padStart(8);
    line(one.name, one.incrementErrors, one.contextErrors, learned);
  }
  const pooled = (key) => sessionsMeasured.flatMap((one) => one[key]);
  line("pooled", pooled("incrementErrors"), pooled("contextErrors"));
}

function printSpeed() {
  const texts = sessions
    .flatMap((session) => session.calls.flatMap((call) => [...call.added, call.reply]))
    .flatMap((message) => message.content)
    .map((block) => block.text ?? (typeof block.content === "string" ? block.content : ""));
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const seconds = Array.from({ length: 9 }, () => {
    const startedAt = performance.now();
    for (const text of texts) estimateText(text);
    return (performance.now() - startedAt) / 1e3;
  }).sort((left, right) => left - right);
  console.log(
    `\nSpeed: ${(megabytes / seconds[4]).toFixed(0)} MB/s (median of 9 over ${megabytes.toFixed(1)} MB).`,
  );
}

function printWorstInputs() {
  const inputs = {
    "one letter": "a",
    ideographs: "中文",
    emoji: "😀",
    base64: "QUJDREVGR0hJSktMTU5P",
    spaces: " ",
  };
  const line = Object.entries(inputs).map(([name, unit]) => {
    const text = unit.repeat(Math.ceil(1_000_000 / Buffer.byteLength(unit)));
    const times = Array.from({ length: 9 }, () => elapsedMs(() => estimateText(text)));
    return `${name} ${times.sort((left, right) => left - right)[4].toFixed(1)} ms`;
  });
  console.log(`1 MB of one input (median of 9): ${line.join(", ")}.`);
}

/** Prints the cost of a call: three new messages of 1 KB are estimated, and the ledger follows. */
function printHotPath() {
  const text = "export const value = compute(input, { retries: 3 });\n".repeat(20);
  const ledger = new UsageLedger({ model: "claude-opus-4-5" });
  let prompt = 20_000;
  const times = Array.from({ length: 5_000 }, (_, call) => {
    const messages = [0, 1, 2].map((at) => ({ content: [{ type: "text", text: `${call} ${at} ${text}` }] }));
    prompt += 1_000;
    const usage = { inputTokens: prompt, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 50 };
    return elapsedMs(() => {
      for (const message of messages) ledger.messageAdded(estimateMessage(message));
      ledger.figure();
      ledger.usageReported({ sent: ledger.requestSent(), usage, replyTokens: 50 });
    });
  }).sort((left, right) => left - right);
  const microseconds = (share) => (times[Math.floor(share * times.length)] * 1e3).toFixed(1);
  console.log(
    `Per call with 3 new messages of 1 KB: p50 ${microseconds(0.5)} µs, p99 ${microseconds(0.99)} µs.`,
  );
}

function elapsedMs(work) {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
