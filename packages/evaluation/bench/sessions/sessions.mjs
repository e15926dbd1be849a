/**
 * Many sessions in one folder, written fast: one is made by the library, and the others are its bytes with
 * another id and title, and the checksums that belong to these.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

const DAY_MS = 86_400_000;
/** The start of the part of a line that its checksum covers. */
const BODY_START = '{"crc":"00000000",'.length;
const ROUNDS = 8;

/** Writes `count` sessions of about `kilobytes` each; `oldShare` of them were last active 40 days ago. */
export async function writeSessions({ library, folder, count, kilobytes, oldShare }) {
  mkdirSync(folder, { recursive: true });
  const template = await makeTemplate({ library, folder, kilobytes });
  const nowMs = Date.now();
  const ids = [];
  for (let index = 0; index < count; index++) {
    const id = randomUUID();
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, renamed(template, { id, title: `Session ${index}: why the login fails` }));
    const isOld = index < count * oldShare;
    const atMs = nowMs - (isOld ? 40 * DAY_MS : 2 * DAY_MS) - (count - index) * 100;
    utimesSync(path, atMs / 1_000, atMs / 1_000);
    ids.push(id);
  }
  return { ids, bytes: template.bytes };
}

/** The lines of one session, apart from those that differ between sessions. */
async function makeTemplate({ library, folder, kilobytes }) {
  const { createSession, FileSessionStore, nodeFileSystem, nodeHasher, randomIds } = library;
  const root = join(folder, "..", "template");
  const store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
  const startMs = Date.now() - 200 * DAY_MS;
  let calls = 0;
  const session = await createSession({
    store,
    clock: { nowMs: () => startMs + calls++ * 1_000 },
    ids: randomIds,
    hasher: nodeHasher,
    durability: "process",
    workingCopy: "/projects/a-thing",
    window: { policy: "off" },
  });
  await session.append(say("user", "Please find out why the login fails when the password has an umlaut."));
  await session.setMetadata("title", "TITLE");
  await session.setMetadata("tags", ["bench", "login"]);
  const text = "const value = compute(input); // and so on\n".repeat(
    Math.ceil((kilobytes * 1_024) / ROUNDS / 44 / 2),
  );
  for (let round = 0; round < ROUNDS; round++) {
    await session.append(say("user", `Round ${round}: ${text}`));
    await session.append(say("assistant", `Answer ${round}: ${text}`));
  }
  await session.close();
  const lines = readFileSync(join(root, `${session.id}.jsonl`), "utf8")
    .split("\n")
    .slice(0, -1);
  rmSync(root, { recursive: true });
  return { id: session.id, lines, bytes: lines.join("\n").length + 1 };
}

function say(role, text) {
  return { role, origin: role, content: [{ type: "text", text }] };
}

function renamed({ id: templateId, lines }, { id, title }) {
  const made = lines.map((line) => {
    if (!line.includes(templateId) && !line.includes('"TITLE"')) return line;
    const body = line
      .slice(BODY_START)
      .replaceAll(templateId, id)
      .replaceAll('"TITLE"', JSON.stringify(title));
    return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}`;
  });
  return `${made.join("\n")}\n`;
}
