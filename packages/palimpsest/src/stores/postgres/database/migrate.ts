/** Makes the tables, and clears away what no session needs. */
import { StoreError } from "../../../base/errors.ts";
import type { Database } from "./database.ts";
import { leftovers, migration, type Tables } from "./tables.ts";

const WHAT = "The tables could not be made";

/** @throws `STORE_FAILED`, among others where the database cannot hold every character. */
export async function migrate(database: Database, tables: Tables): Promise<void> {
  const { rows } = await database.run({
    what: WHAT,
    text: `SELECT current_setting('server_encoding') AS "encoding"`,
  });
  const encoding = rows[0]?.["encoding"];
  if (encoding !== "UTF8")
    throw new StoreError("STORE_FAILED", {
      message: `The database is encoded in ${String(encoding)}, which cannot hold every character.`,
      hint: "Make a database with ENCODING 'UTF8' for the sessions.",
    });
  await database.run({ what: WHAT, text: migration(tables) });
  await database.run({ what: "Leftovers could not be removed", text: leftovers(tables) });
}
