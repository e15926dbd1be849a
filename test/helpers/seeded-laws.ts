/**
 * Whether the laws look at the same random histories again: those of `PALIMPSEST_SEED`, a hexadecimal number,
 * or new ones where it is not set.
 *
 * CI sets it from the commit: what passed passes again, what failed fails again, and each commit looks at
 * other histories. Both configurations of Vitest run this before each test file.
 */

/** The number that fast-check begins with; of a longer one, like the id of a commit, the first 32 bits. */
export function seedOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`PALIMPSEST_SEED is not a hexadecimal number: ${text}`);
  return Number.parseInt(text.slice(0, 8), 16) | 0;
}

const seed = seedOf(process.env["PALIMPSEST_SEED"]);
// Read only then: most test files know nothing of fast-check.
if (seed !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
