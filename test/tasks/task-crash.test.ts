/** A program is killed in each state of each kind of task; the next one finds out, goes on, and tells the agent once. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { AgentSession } from "palimpsest";
import { afterEach, describe, expect, it } from "vitest";
import { folderStore } from "#palimpsest/host/folder-store.ts";
import { bySize, isLong, usualFew } from "../helpers/size-of-run.ts";
import { type CrashPlace, letGo, openAllKinds, ranFile, TOKEN, windowFile } from "./all-kinds.ts";
import { countNotices } from "./counted-notices.ts";
import { CRASH_CASES, type CrashCase, type CrashState } from "./crash-cases.ts";
import { closeAll, killHost, leftovers, newPlace, until } from "./crash-place.ts";

afterEach(closeAll);

/** Without what differs from run to run: the order of two servers, the reason of a failure, the id of a dream. */
function plain(output: string, { kind }: Pick<CrashCase, "kind">): string {
  if (kind === "monitor_mcp")
    return output
      .replace(/ \(.*\); trying again in \d+ ms$/gm, "")
      .split("\n")
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .sort()
      .join("");
  return kind === "dream"
    ? output.replace(/Revert it with its id[\s\S]*?(?=Everything is|$)/, "APPLIED\n")
    : output;
}

async function statusOfTask({ workerUrl }: CrashPlace, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  return (await fetch(`${workerUrl}/v1/tasks/${id}?offset=0`, { headers })).status;
}

/** Two of three that say the same are one. */
const memoriesIn = (folder: string): readonly string[] =>
  readdirSync(`${folder}/memory`).filter((name) => name.endsWith(".md") && name !== "MEMORY.md");
const linesOf = (path: string): number => readFileSync(path, "utf8").length;

/** All of them in a soak; in the long run every third of a kind, beginning with another state for the next kind. */
const CASES = CRASH_CASES.filter(({ kind }, index) => {
  const kinds = [...new Set(CRASH_CASES.map((one) => one.kind))];
  return bySize({ usual: true, long: (index + kinds.indexOf(kind)) % 3 === 0, soak: true });
});

describe.skipIf(process.platform !== "linux")("a program that is killed", () => {
  // By default one session has tasks of all kinds, below.
  it.runIf(isLong).each(CASES)(
    "while its task of $kind is $state leaves it $status, and nothing of it runs",
    async (known) => {
      const { kind, state, status, output, resumed } = known;
      const { place, cutOff, lookOn } = await newPlace();
      const isOver = status !== "interrupted" || state === "ending";
      if (isOver) lookOn();
      const asked = { place: state === "waiting" ? cutOff : place, kind, state };
      await killHost("crash-host.ts", asked);
      // The guardian kills them before the session is opened again.
      await until(() => leftovers(place.mark).length === 0);
      const files = folderStore(`${place.folder}/sessions`).tasksOf("work")!;
      const size = files.outputBytes("t1");
      // Readers that were at the beginning, in the middle and at the end.
      const readers = [0, Math.min(2, size), size].map((offset) => ({
        offset,
        begun: Buffer.from(files.readOutput("t1", 0, offset)).toString(),
      }));
      const readOn = (session: AgentSession): readonly string[] =>
        readers.map(({ offset, begun }) => {
          const { text, isEnd } = session.tasks.read("t1", { offset });
          expect(isEnd).toBe(true);
          return plain(begun + text, known);
        });

      const palimpsest = openAllKinds(place, () => undefined);
      const session = await palimpsest.session("work");
      expect(session.tasks.get("t1").status).toBe(status);
      const expected = plain(output, known);
      expect(readOn(session)).toEqual([expected, expected, expected]);
      await session.turn("Well?");
      if (status === "interrupted") {
        letGo(place.folder);
        lookOn();
        await session.tasks.resume("t1");
        if (kind === "local_bash" && state === "waiting") await session.tasks.input("t1", "y\n");
        if (kind === "monitor_mcp")
          await until(() => session.tasks.get("t1").detail === "files is up, web is up");
        if (kind === "in_process_teammate") await until(() => session.tasks.pendingCount > 0);
        if (kind === "monitor_mcp" || kind === "in_process_teammate")
          await session.tasks.stop("t1", "enough");
        const end = await session.tasks.wait("t1");
        expect(end.status).toBe(
          kind === "monitor_mcp" || kind === "in_process_teammate" ? "stopped" : "done",
        );
        const whole = plain(resumed, known);
        expect(readOn(session)).toEqual([whole, whole, whole]);
        await session.turn("And?");
      }
      // A worker has one task, however often it was asked for it.
      if (kind === "remote_agent") expect(await statusOfTask(place, "t2")).toBe(404);
      if (kind === "dream") expect(memoriesIn(place.folder)).toHaveLength(2);
      if (kind === "local_workflow") {
        expect(linesOf(ranFile(place.folder, 1))).toBe(1);
        expect(linesOf(ranFile(place.folder, 2))).toBe(state === "running" || state === "stopping" ? 2 : 1);
      }
      await palimpsest.close();
      expect(leftovers(place.mark)).toEqual([]);

      // Also after another start of the program.
      const again = openAllKinds(place, () => undefined);
      const later = await again.session("work");
      await later.turn("Still there?");
      await again.close();
      const { reportedCount, noticesCount } = (await countNotices(place.folder))["t1"]!;
      expect(reportedCount).toBe(noticesCount);
    },
  );
});

const STATES = ["ended", "synced", "told", "ending"] as const satisfies readonly CrashState[];

/** The line that a compacted window has for each task while it runs. */
const RUNNING = [
  /local_bash "echo one; echo two; .*": running for \d+ s\. Its output is 8 bytes in \S+; task_output reads it\./,
  /local_agent "Look around\.": running for \d+ s\. /,
  /remote_agent "Build it\.": running for \d+ s\. /,
  /in_process_teammate "mate: Help\.": running for \d+ s\. Its output is 7 bytes/,
  /local_workflow "first → second → third": running for \d+ s \(step 2\/3 second\)\. /,
  /monitor_mcp "MCP servers files, web": running for \d+ s \(files is up, web is up\)\. /,
  /dream "dream of the project's memories": running for \d+ s\. It has no output\./,
];

/** The same once they have ended. */
const ENDED = [
  /local_bash "echo one; echo two; .*": ended well\. /,
  /local_agent "Look around\.": ended well\. /,
  /remote_agent "Build it\.": ended well\. /,
  /in_process_teammate "mate: Help\.": was stopped \(enough\)\. /,
  /local_workflow "first → second → third": ended well\. /,
  /monitor_mcp "MCP servers files, web": was stopped \(enough\)\. /,
  /dream "dream of the project's memories": ended well\. /,
];

const textOf = ({ session }: AgentSession): string =>
  session.visible
    .flatMap(({ blocks }) => blocks.map(({ block }) => ("text" in block ? String(block.text) : "")))
    .join("\n");

describe.skipIf(process.platform !== "linux")("a session with tasks of all kinds", () => {
  it.each(
    usualFew(STATES, 4),
  )("names them after a compaction, and reports each end once: killed when they are %s", async (state) => {
    const { place, lookOn } = await newPlace();
    const killed = killHost("all-kinds-host.ts", { place, state });
    await Promise.race([killed, until(() => existsSync(windowFile(place.folder)))]);
    letGo(place.folder);
    lookOn();
    await killed;
    const window = readFileSync(windowFile(place.folder), "utf8");
    for (const line of RUNNING) expect(window).toMatch(line);
    await until(() => leftovers(place.mark).length === 0);

    for (let start = 1; start <= 2; start++) {
      const palimpsest = openAllKinds(place, () => undefined);
      const session = await palimpsest.session("work");
      expect(session.tasks.list().filter(({ status }) => status === "interrupted")).toHaveLength(
        state === "ending" ? 1 : 0,
      );
      await session.turn("Well?");
      await session.compact();
      await session.turn("And?");
      if (state !== "ending") for (const line of ENDED) expect(textOf(session)).toMatch(line);
      await palimpsest.close();
    }
    const counts = await countNotices(place.folder);
    expect(Object.keys(counts)).toHaveLength(7);
    for (const [id, { reportedCount, noticesCount }] of Object.entries(counts))
      expect(reportedCount, id).toBe(noticesCount);
    // The ends, and what the teammate said.
    expect(Object.values(counts).reduce((sum, { reportedCount }) => sum + reportedCount, 0)).toBe(8);
  });
});
