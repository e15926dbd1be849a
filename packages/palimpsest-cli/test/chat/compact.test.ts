/** `palimpsest compact`: a stored session is compacted from the command line, from its log or by a model. */
import { openHome } from "palimpsest";
import { scriptedProvider } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { json, SECRET, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

interface Compacted {
  readonly sessionId: string;
  readonly freedTokens: number;
  readonly usedTokens: number;
  readonly windowTokens: number;
  readonly writtenBy?: string;
  readonly edits: readonly { readonly seq: number; readonly layer: string; readonly reason: string }[];
}

const SHAPE = { rounds: 15, resultLines: 200 };

async function usedIn(place: ReturnType<typeof storedHome>, id: string): Promise<number> {
  return json<{ usedTokens: number }>(await place.run(["context", id, "--json"])).usedTokens;
}

describe("palimpsest compact", () => {
  it("makes room in the latest session from its log, keeps every message, and is taken back by undo", async () => {
    const place = storedHome();
    const id = await storeSession(place, SHAPE);
    const before = await usedIn(place, id);
    const { code, out, err } = await place.run(["compact"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /^Compacted: [\d,.K]+ tokens less, the summary was made from the log\.\n[\d,.K]+ of 200K tokens are in use\.\n$/,
    );
    const after = await usedIn(place, id);
    expect(after).toBeLessThan(before * 0.6);

    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const session = await home.resume(id);
    const summaries = session.visible.filter(({ origin }) => origin === "summary");
    expect(summaries.length).toBe(1);
    expect(JSON.stringify(summaries).includes(SECRET)).toBe(false);
    expect((await session.history.search("ledger 7")).length).toBeGreaterThan(0);
    await session.undo(session.context().lastCompaction!.seq);
    expect(session.tokens.total).toBeGreaterThan(before * 0.9);
    await session.close();
    await home.close();
  });

  it("reports as JSON, of a session in a plain folder too, and in a smaller window", async () => {
    const place = storedHome();
    const id = await storeSession(place, SHAPE);
    const opened = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const { folder } = opened.project;
    await opened.close();
    const args = ["compact", id.slice(0, 8), "--folder", folder, "--window", "64k", "--json"];
    const done = json<Compacted>(await place.run(args));
    expect(done).toMatchObject({ sessionId: id, windowTokens: 64_000 });
    expect(done.edits.map(({ layer, reason }) => `${layer} ${reason}`)).toEqual(["extractive manual"]);
    expect(done.freedTokens).toBeGreaterThan(5_000);
    expect(done.writtenBy).toBeUndefined();
  });

  it("asks the model that --model names, with instructions", async () => {
    const place = storedHome();
    const id = await storeSession(place, SHAPE);
    const sections = Array.from({ length: 9 }, (_, index) => `${index + 1}. What belongs here.`).join("\n");
    const provider = await scriptedProvider({ script: () => `<summary>\n${sections}\n</summary>` });
    const env = {
      PALIMPSEST_HOME: place.home,
      ANTHROPIC_API_KEY: "key-of-anthropic",
      ANTHROPIC_BASE_URL: provider.url,
    };
    const context = cliDouble({ folder: place.folder, env });
    const args = [
      "compact",
      id,
      "--model",
      "claude-opus-5-5",
      "--instructions",
      "Keep every figure.",
      "--json",
    ];
    const done = json<Compacted>(await place.run(args, { context }));
    expect(done).toMatchObject({ sessionId: id, writtenBy: "claude-opus-5-5" });
    expect(done.edits.map(({ layer }) => layer)).toEqual(["full"]);
    expect(JSON.stringify(provider.requests.map(({ body }) => body))).toContain("Keep every figure.");
    expect(provider.violations).toEqual([]);
    await provider.close();
  });

  it("fails with the reason where nothing is gained, and where another program has the session", async () => {
    const place = storedHome();
    const short = await storeSession(place, { rounds: 1, resultLines: 1 });
    const refused = (says: string) => ({ code: 1, err: expect.stringContaining(says) });
    expect(await place.run(["compact", short])).toMatchObject(refused("COMPACTION_REFUSED"));
    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const session = await home.resume(short);
    expect(await place.run(["compact", short])).toMatchObject(refused("SESSION_IN_USE"));
    await session.close();
    await home.close();
  });

  it.each([
    { args: ["--instructions", "Keep all."], says: "--instructions are for a model" },
    { args: ["--window", "x"], says: "is not a window size" },
    { args: ["--window", "64k,32k"], says: "is more than one size" },
    { args: ["no-such-session"], says: "no-such-session", code: 1 },
    { args: ["--model", "claude-opus-5-5"], says: "ANTHROPIC_API_KEY" },
  ])("refuses $args and says why", async ({ args, says, code = 2 }) => {
    const place = storedHome();
    await storeSession(place, { rounds: 1 });
    const { err, ...ran } = await place.run(["compact", ...args]);
    expect(ran).toMatchObject({ code, out: "" });
    expect(err).toContain(says);
  });

  it("explains itself, and the flags that leave nothing behind", async () => {
    const place = storedHome();
    const { code, out } = await place.run(["compact", "--help"]);
    expect(code).toBe(0);
    expect(out).toContain("Usage: palimpsest compact [options] [session]");
    expect(out).toContain("Exit codes:");
    const { out: all } = await place.run(["--help"]);
    expect(all).toContain("--bare");
    expect(all).toContain("--no-session-persistence");
  });
});
