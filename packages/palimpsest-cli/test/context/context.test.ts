/** `palimpsest context`: the window of a stored session as a bar and a table. */

import { createPalimpsest, functionModel, openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import { renderContext } from "#context/context-report.ts";
import { createStyles } from "#terminal/styles.ts";
import { HOSTILE, json, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

interface Use {
  readonly sessionId: string;
  readonly windowTokens: number;
  readonly usedTokens: number;
  readonly freeTokens: number;
  readonly reserveTokens: number;
  readonly shares: readonly { readonly category: string; readonly tokens: number }[];
}

describe("palimpsest context", () => {
  it("shows the latest session as a bar that is as wide as the window, and a table", async () => {
    const place = storedHome();
    await storeSession(place, { title: "older" });
    await storeSession(place, { title: "The ledger", resultLines: 900 });
    const { code, out } = await place.run(["context"], { columns: 140 });
    expect(code).toBe(0);
    const [title, bar, figures, body, , ...rows] = out.split("\n");
    expect(title).toBe("The ledger  claude-sonnet-4-5");
    expect([...bar!]).toHaveLength(72);
    expect(figures).toMatch(/^[\d.]+K of 200K tokens \([\d.]+ %, .*\); compaction starts at 1\d\dK$/);
    expect(body).toMatch(/^Messages: [\d.]+ KB\. Size of the window: from the catalogue\.$/);
    expect(rows.map((row) => row.slice(2, 20).trim())).toEqual([
      ...["system prompt", "tool results", "Read", "user", "tool calls"],
      ...["free", "reserve for summar", ""],
    ]);
  });

  it("has the same as JSON, in the window that is asked for; everything adds up to it", async () => {
    const place = storedHome();
    const sessionId = await storeSession(place, { resultLines: 200 });
    const use = json<Use>(await place.run(["context", sessionId, "--window", "64k", "--json"]));
    expect([use.sessionId, use.windowTokens]).toEqual([sessionId, 64_000]);
    const sum = use.shares.reduce((total, { tokens }) => total + tokens, 0);
    expect(Math.abs(sum + use.freeTokens + use.reserveTokens - 64_000)).toBeLessThan(10);
  });

  it.each([
    ["reported", "as the provider reported it"],
    ["counter:anthropic-count-tokens", "counted by the provider"],
  ] as const)("says in words that the size is %s", (source, words) => {
    const use = {
      model: "claude-sonnet-4-5",
      windowTokens: 1_000,
      usedTokens: 90,
      source,
      shares: [],
      freeTokens: 810,
      reserveTokens: 100,
      compactAtTokens: 900,
      windowSource: "catalogue" as const,
      body: { bytes: 2_000, images: 1, documents: 0 },
    };
    const styles = createStyles({ isColored: false });
    expect(renderContext("A", use, { columns: 120, styles }).join("\n")).toContain(`(9.0 %, ${words})`);
  });

  it("has the window that a refusal named, as the next call has", async () => {
    const place = storedHome();
    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    let isRefused = false;
    const model = functionModel(
      async () => {
        if (isRefused) return "Done.";
        isRefused = true;
        throw Object.assign(new Error("prompt is too long: 70000 tokens > 60000 maximum"), { status: 400 });
      },
      { model: "claude-sonnet-4-5" },
    );
    const palimpsest = createPalimpsest({ home, model, background: "off" });
    const session = await palimpsest.session("learns");
    for (let part = 0; part < 9; part++)
      await session.append(`Part ${part}. ${"It goes on and on. ".repeat(200)}`);
    await session.turn("Go on.");
    const known = session.context();
    await palimpsest.close();
    await home.close();
    expect([known.windowTokens, known.windowSource]).toEqual([60_000, "learned"]);
    const use = json<Use>(await place.run(["context", "learns", "--json"]));
    expect(use).toMatchObject({ windowTokens: 60_000, windowSource: "learned" });
  });

  it("tells system prompt and tools apart as the open session does, also where a later call repeats them", async () => {
    const place = storedHome();
    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const model = functionModel(async () => "Noted.", { model: "claude-sonnet-4-5" });
    const palimpsest = createPalimpsest({ home, background: "off", model });
    const session = await palimpsest.session("fixed");
    for (const text of ["One.", "Two.", "Three."])
      await session.turn(text, { system: "Be exact. ".repeat(40) });
    const fixed = session.context().shares.filter(({ category }) => /system|tools/.test(category));
    await palimpsest.close();
    await home.close();
    expect(fixed.map(({ category }) => category)).toEqual(["system", "tools"]);
    const use = json<Use>(await place.run(["context", "fixed", "--json"]));
    expect(use.shares.filter(({ category }) => /system|tools/.test(category))).toEqual(fixed);
  });

  it.each([
    { limit: "windowTokens", reported: undefined },
    { limit: "ceilingTokens", reported: undefined },
    { limit: "the server's", reported: 64_000 },
  ])("has the window that the session was opened with, and so has a compaction: $limit", async (row) => {
    const place = storedHome();
    const options = { home: place.home, workingCopy: place.folder, env: {}, persistence: true };
    const home = openHome(options);
    const plain = functionModel(async () => "Noted.", { model: "claude-sonnet-4-5" });
    const { limit, reported: windowTokens } = row;
    const model = windowTokens === undefined ? plain : { ...plain, limits: async () => ({ windowTokens }) };
    const window = windowTokens === undefined ? { [limit]: 64_000 } : {};
    const palimpsest = createPalimpsest({ home, background: "off", model, window });
    const session = await palimpsest.session("small");
    for (let round = 0; round < 12; round++)
      await session.turn(`${round} ${"It goes on and on. ".repeat(200)}`);
    await palimpsest.close();
    await home.close();
    const use = json<Use>(await place.run(["context", "small", "--json"]));
    expect(use).toMatchObject({ windowTokens: 64_000, windowSource: "last-call" });
    const { out } = await place.run(["context", "small"]);
    expect(out).toContain("Size of the window: that of the last call.");
    const other = json<Use>(await place.run(["context", "small", "--window", "32k", "--json"]));
    expect(other).toMatchObject({ windowTokens: 32_000, windowSource: "option" });
    const compacted = json<Use>(await place.run(["compact", "small", "--json"]));
    expect(compacted.windowTokens).toBe(64_000);
    // Its checkpoint names no call.
    const after = json<Use>(await place.run(["context", "small", "--json"]));
    expect(after).toMatchObject({ windowTokens: 64_000, windowSource: "last-call" });
  });

  it("keeps to narrow screens and shows no control characters", async () => {
    const place = storedHome();
    await storeSession(place, { title: HOSTILE });
    const { out } = await place.run(["context"], { columns: 40 });
    for (const line of out.split("\n")) expect([...line].length).toBeLessThanOrEqual(40);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it.each([
    [["context", "nothing"], 1, "There is no session"],
    [["context", "--window", "64k,32k"], 2, "is more than one size"],
    [["context", "--window", "many"], 2, "is not a window size"],
  ])("refuses %j", async (args, exitCode, words) => {
    const place = storedHome();
    const { code, err } = await place.run(args);
    expect([code, err]).toEqual([exitCode, expect.stringContaining(words)]);
  });
});
