/** The figures of `sessions show`. */
import { openHome } from "palimpsest";
import { expect, it } from "vitest";
import { json, storedHome } from "../../../../test/helpers/stored.ts";

it("sessions show counts all that was said in the tokens of the window, which shows it all", async () => {
  const place = storedHome();
  const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
  const session = await home.create();
  await session.append("Read the ledger of the harbour. ".repeat(300));
  await session.append({ role: "assistant", content: "I have read it." });
  await session.close();
  await home.close();
  const { tokens } = json<{ tokens: Readonly<Record<"window" | "said", number>> }>(
    await place.run(["sessions", "show", session.id, "--json"]),
  );
  const [inWindow = 0, inAll = 0] = ["window" as const, "said" as const].map((name) => tokens[name]);
  expect(inAll).toBeGreaterThan(1_000);
  expect(Math.abs(inAll - inWindow)).toBeLessThanOrEqual(1);
});
