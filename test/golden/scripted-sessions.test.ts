/**
 * Runs scripted agent sessions and compares their goldens: every request that the provider received, every log line,
 * notes and memories.
 *
 * The long run and a soak run all scripts, the default run only the short ones.
 */
import { describe, expect, it } from "vitest";
import { isLong } from "../helpers/size-of-run.ts";
import { GoldenRun, Goldens } from "./golden.ts";
import { SCRIPTS } from "./scripts.ts";

const goldens = new Goldens(new URL("scripted-sessions.snapshot.json", import.meta.url));
const scripts = SCRIPTS.filter(({ isShort }) => isLong || isShort === true);

describe("scripted sessions", () => {
  it.each(scripts)("$name", async ({ name, live }) => {
    const run = new GoldenRun();
    await live(run);
    expect(goldens.findDifference(name, run.record(name))).toBeUndefined();
  });
});
