/** `sessions search`: it finds messages, and each line shows the found text, however narrow the terminal is. */
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/helpers/recordings.ts";
import { json, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

describe("sessions search", () => {
  it("finds what was said, and says when it finds nothing", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "Ledgers" });
    const elsewhere = await storeSession(place, { workingCopy: testFolder() });
    const found = await place.run(["sessions", "search", "LEDGER say"]);
    expect(found.code).toBe(0);
    expect(found.out).toContain(`${id}  Ledgers\n  m`);
    const all = json<{ hits: { sessionId: string }[] }>(
      await place.run(["sessions", "search", "ledger say", "--all", "--json"]),
    );
    expect(new Set(all.hits.map(({ sessionId }) => sessionId))).toEqual(new Set([id, elsewhere]));
    expect(await place.run(["sessions", "search", "no such words"])).toMatchObject({ code: 3, out: "" });
    expect((await place.run(["sessions", "search", " "])).code).toBe(2);
  });

  it.each([40, 80, 120])("shows the text that it found in %i columns", async (columns) => {
    const place = storedHome();
    await storeSession(place, {
      text: `${"long before it ".repeat(30)}harbour${" and long after".repeat(30)}`,
    });
    const { out } = await place.run(["sessions", "search", "Harbour"], { columns });
    for (const line of out.split("\n").filter((each) => each.startsWith("  m"))) {
      expect(line).toContain("harbour");
      expect(line.length).toBeLessThanOrEqual(columns);
    }
    expect(out).toContain("  m");
  });
});
