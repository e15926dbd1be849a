/**
 * Whether what a connection commits survives a power loss, asked once of each connection before it
 * first writes: the setting may differ between roles, databases and connections.
 */
import { StoreError } from "../../base/errors.ts";
import { TABLES_VERSION, type Tables } from "./tables.ts";

/** Ends well for a connection that may write; asks it once. */
export type DurabilityCheck = (
  client: object,
  ask: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
) => Promise<void>;

const STRONG: ReadonlySet<unknown> = new Set(["on", "remote_apply"]);

/** Also looks for the tables, so that a store that was never migrated says so and nothing else. */
export function durabilityCheck(tables: Tables, isWeakAllowed: boolean): DurabilityCheck {
  const text = `SELECT current_setting('synchronous_commit') AS "synchronousCommit", current_setting('fsync') AS "fsync",
    (SELECT max(version) FROM ${tables.versions}) AS "version"`;
  // Of this store: another one of the same pool may have other tables, or take what this one does not.
  const checked = new WeakSet<object>();
  return async (client, ask) => {
    if (checked.has(client)) return;
    const [row] = await ask(text);
    if (Number(row?.["version"] ?? 0) < TABLES_VERSION) throw outdated(row?.["version"]);
    const { synchronousCommit, fsync } = row ?? {};
    if (!isWeakAllowed && !STRONG.has(synchronousCommit)) throw weak("synchronous_commit", synchronousCommit);
    if (!isWeakAllowed && fsync !== "on") throw weak("fsync", fsync);
    checked.add(client);
  };
}

function weak(name: string, value: unknown): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The server commits with ${name} = ${String(value)}: what it acknowledges could be lost with its power.`,
    hint: `Set ${name} to on for this role or in the options of the connection, or pass allowWeakDurability.`,
  });
}

function outdated(version: unknown): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The tables are of version ${Number(version ?? 0)}; this library writes version ${TABLES_VERSION}.`,
    hint: "Bring them up to date with `migrate()`.",
  });
}
