/**
 * Weighs sessions of very many short turns: a prompt and an answer of so many characters together, with reported usage.
 * What each line has beside its text weighs most there.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TURNS = 1_000;
const WINDOW_TOKENS = 32_000;
const MODEL = "claude-opus-4-5";
const USAGE = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Bytes on the disk for each character said: of the log with its blobs, and of the files that can be made from it. */
export async function weighTurns({ nodeSessions }, characters) {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-turns-"));
  try {
    const session = await nodeSessions({ folder }).create({ window: { windowTokens: WINDOW_TOKENS } });
    let spokenCharacters = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const text = wordsOf(turn, characters / 2);
      spokenCharacters += 2 * text.length;
      await session.append(text);
      await session.prepare({ model: MODEL });
      const answer = { role: "assistant", content: [{ type: "text", text }] };
      await session.record({ messages: [answer], usage: USAGE });
    }
    await session.close();
    const bytes = { log: 0, derived: 0 };
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const stat = statSync(join(folder, name));
      if (!stat.isFile()) continue;
      const isOfLog = name.includes("blobs") || (name.endsWith(".jsonl") && !name.startsWith("."));
      bytes[isOfLog ? "log" : "derived"] += stat.size;
    }
    return { characters, log: bytes.log / spokenCharacters, derived: bytes.derived / spokenCharacters };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wordsOf(turn, length) {
  const words = Array.from(
    { length: Math.ceil(length / 4) },
    (_, k) => `w${(k * 7_919 + turn * 104_729) % 1e6}`,
  );
  return words.join(" ").slice(0, length);
}
