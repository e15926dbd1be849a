/**
 * Whether what a connection commits survives a power loss, asked once of each connection before it
 * first writes: the setting may differ between roles, databases and connections.
 */
import { StoreError } from "../../../base/errors.ts";
import { OLDEST_TABLES_VERSION, TABLES_VERSION, type Tables } from "./tables.ts";

/** The version of the tables, for a connection that may write; asks it once. */
export type DurabilityCheck = (
  client: object,
  ask: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
) => Promise<number>;

const STRONG: ReadonlySet<unknown> = new Set(["on", "remote_apply"]);

/** Also looks for the tables, so that a store that was never migrated says so and nothing else. */
export function durabilityCheck(tables: Tables, isWeakAllowed: boolean): DurabilityCheck {
  const text = `SELECT current_setting('synchronous_commit') AS "synchronousCommit", current_setting('fsync') AS "fsync",
    (SELECT max(version) FROM ${tables.versions}) AS "version"`;
  // Of this store: another one of the same pool may have other tables, or take what this one does not.
  const checked = new WeakMap<object, number>();
  return async (client, ask) => {
    const known = checked.get(client);
    if (known !== undefined) return known;
    const [row] = await ask(text);
    const version = Number(row?.["version"] ?? 0);
    if (version < OLDEST_TABLES_VERSION) throw outdated(version);
    const { synchronousCommit, fsync } = row ?? {};
    if (!isWeakAllowed && !STRONG.has(synchronousCommit)) throw weak("synchronous_commit", synchronousCommit);
    if (!isWeakAllowed && fsync !== "on") throw weak("fsync", fsync);
    // Tables of an earlier version may be brought up to date while the connection lives.
    if (version >= TABLES_VERSION) checked.set(client, version);
    return version;
  };
}

function weak(name: string, value: unknown): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The server commits with ${name} = ${String(value)}: what it acknowledges could be lost with its power.`,
    hint: `Set ${name} to on for this role or in the options of the connection, or pass allowWeakDurability.`,
  });
}

function outdated(version: number): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The tables are of version ${version}; this library writes version ${OLDEST_TABLES_VERSION} to ${TABLES_VERSION}.`,
    hint: "Bring them up to date with `migrate()`.",
  });
}
