/** A session that is compacted while tasks of all kinds run, and whose program is killed before it has reported them. */
import { existsSync, readFileSync } from "node:fs";
import type { AgentSession } from "palimpsest";
import { afterEach, describe, expect, it } from "vitest";
import { usualFew } from "../helpers/size-of-run.ts";
import { letGo, openAllKinds, windowFile } from "./all-kinds.ts";
import { countNotices } from "./counted-notices.ts";
import type { CrashState } from "./crash-cases.ts";
import { closeAll, killHost, leftovers, newPlace, until } from "./crash-place.ts";

afterEach(closeAll);

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
