/**
 * Seeds of the laws: random histories are those of `PALIMPSEST_SEED`, a hexadecimal number, or new ones if it is
 * not set. Also decides if a failing history is shortened.
 *
 * CI sets it, the same for each commit: what passed passes again, and what fails was broken by what changed. Both
 * configurations of Vitest run this before each test file.
 */

/** The number that fast-check begins with; of a longer one, like the id of a commit, the first 32 bits. */
export function seedOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`PALIMPSEST_SEED is not a hexadecimal number: ${text}`);
  return Number.parseInt(text.slice(0, 8), 16) | 0;
}

const seed = seedOf(process.env["PALIMPSEST_SEED"]);
const isLong = (process.env["PALIMPSEST_LONG"] ?? "") !== "";
// Read only then: most test files know nothing of fast-check.
if (seed !== undefined || isLong) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({
    ...fc.readConfigureGlobal(),
    ...(seed === undefined ? {} : { seed }),
    // A long history that fails is reported with its seed and path. Looking for a shorter one may take hours,
    // and the seed and path are enough to reproduce it.
    ...(isLong ? { endOnFailure: true } : {}),
  });
}
