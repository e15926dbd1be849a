/** The cheap form of the import bench: its ratios, which do not depend on the machine. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { compiledLibrary } from "../../../../test/helpers/compiled-once.ts";

interface Row {
  readonly maxRssMegabytes: number;
  readonly messages?: number;
}
interface Result {
  readonly tool: string;
  readonly rows: Readonly<Record<"parse and forget" | "parse and keep" | "import", Row>>;
}

it("an import holds the conversation, not the file", () => {
  const script = fileURLToPath(new URL("../../bench/import/run.mjs", import.meta.url));
  const found = execFileSync(
    process.execPath,
    [script, "--megabytes", "30", "--corpus", "", "--json", "--dist", compiledLibrary()],
    { encoding: "utf8" },
  );
  const { results } = JSON.parse(found) as { readonly results: readonly Result[] };
  expect(results.map(({ tool }) => tool)).toEqual(["claude-code", "codex"]);
  for (const { rows } of results) {
    expect(rows.import.messages).toBeGreaterThan(1_000);
    // Half of these recordings is written a second time for the screen; a parse that keeps it has all of it.
    expect(rows.import.maxRssMegabytes).toBeLessThan(1.3 * rows["parse and keep"].maxRssMegabytes);
  }
});
