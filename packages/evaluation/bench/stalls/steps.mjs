/**
 * What happens in a session, step by step: `{ answer, arrived }`, recorded or made up.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { importerOf } from "../import-recording.mjs";
import { conversation } from "../prepare-call/conversation.mjs";

const CHARACTERS_PER_TOKEN = 3.4;
/** Long sessions of several clients; each is one part of an endless session. */
const RECORDINGS =
  /(?:cc-omp-1M|cc-skills-400k|codex-agentv-773k|cc-entire-3compact|cc-cipherbox-compact)\.jsonl/;

/** Size of messages in tokens, near enough to compare runs with each other. */
export function tokensOf(messages) {
  return (
    messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0) / CHARACTERS_PER_TOKEN
  );
}

/** Made-up steps as the recorded ones: answers are lists. */
export function* madeUp(seed) {
  for (const { answer, arrived } of conversation(seed))
    yield { answers: answer === undefined ? [] : [answer], arrived };
}

/** The recorded messages of the corpus's longest sessions. */
export async function readRecordings(corpus, load) {
  const folder = join(corpus, "trajectories");
  if (!existsSync(folder)) return [];
  const importFile = await importerOf(load);
  const recordings = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!RECORDINGS.test(name)) continue;
    const { sessions } = await importFile(join(folder, name));
    for (const { items } of sessions)
      recordings.push(
        items
          .filter(({ type }) => type === "message")
          .map(({ message: { role, content } }) => ({ role, content }))
          .filter(({ role, content }) => role === "user" || content.length > 0),
      );
  }
  return recordings.filter((messages) => messages.length > 50);
}

/** Steps without end: the recordings one after another, again and again, beginning with number `first`. */
export function* recorded(recordings, first) {
  for (let pass = 0; ; pass++) {
    const messages = recordings[(first + pass) % recordings.length];
    yield* stepsOf(messages, `${first}_${pass}`);
  }
}

function* stepsOf(messages, prefix) {
  let step = { answers: [], arrived: [] };
  for (const message of messages) {
    const copy = withIds(message, prefix);
    if (message.role === "assistant") {
      if (step.arrived.length > 0) {
        yield step;
        step = { answers: [], arrived: [] };
      }
      step.answers.push(copy);
    } else step.arrived.push(copy);
  }
  if (step.arrived.length > 0) yield step;
}

/** Ids occur once in a session. */
function withIds({ role, content }, prefix) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    role,
    content: blocks.flatMap((block) => {
      if (block.type === "tool_use") return [{ ...block, id: `${prefix}_${block.id}` }];
      if (block.type === "tool_result") return [{ ...block, tool_use_id: `${prefix}_${block.tool_use_id}` }];
      return block.type === "text" ? [block] : [];
    }),
  };
}

/** A tool's output of about so many bytes: the log of a build. */
export function bigResult(bytes, id) {
  const lines = [];
  let length = 0;
  for (let line = 0; length < bytes; line++) {
    const text = `[${String(line).padStart(7, "0")}] compiled src/module-${line % 977}/unit_${line % 8191}.ts in ${(line * 7919) % 613} ms, ${(line * 31) % 97} warnings: symbolName${line % 5003} is never read`;
    lines.push(text);
    length += text.length + 1;
  }
  return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: lines.join("\n") }] };
}
