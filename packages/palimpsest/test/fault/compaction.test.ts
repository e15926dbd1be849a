/** A process that ends in the middle of a compaction, at every operation of a disk in memory. */
import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { fill, judge, sessionsOn } from "./compaction-workload.ts";

describe("the end of a process at every operation of the disk", () => {
  it.each(["kill", "torn"] as const)("by %s leaves the old window or the new one", async (error) => {
    const windows: string[] = [];
    for (let failAtCall = 1; ; failAtCall += bySize({ usual: 43, long: 4, soak: 1 })) {
      const disk = new InMemoryFileSystem();
      const before = await fill("/sessions", disk);
      const fs = faultyFileSystem(disk, { failAtCall, error });
      await sessionsOn("/sessions", fs)
        .open("s")
        .then((agent) => agent.turn("Go on."))
        .catch((problem: unknown) => expect(problem).toMatchObject({ code: expect.any(String) }));
      const given = { root: "/sessions", fs: disk, before, isAcknowledged: false };
      windows.push(await judge(given, `${error} at operation ${failAtCall}`));
      if (!fs.didFail()) break;
      expect(failAtCall).toBeLessThan(400);
    }
    expect(windows[0]).toBe("old");
    expect(windows.join(" ")).toMatch(/^(old )+(new ?)+$/);
  });
});
