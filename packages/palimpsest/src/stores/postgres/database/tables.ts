/**
 * The tables of the store and the statements that make them.
 *
 * DESIGN. A session is a row of `sessions`, found by scope and id; its entries and blobs hang on the
 * row's key, and so do its notes. So moving to the trash and back changes one row, and a purge removes everything that
 * a session owns. Positions are sequence numbers.
 *
 * Texts that come from outside are kept as JSON text, which escapes the two things that the server's
 * `text` refuses (U+0000 and half a surrogate pair); blobs are bytes. Both keep every character.
 *
 * Rule for every later version: only add. A program of the version before continues to work with the tables, so that
 * programs can be replaced one after another.
 */
import { OptionError } from "../../../base/errors.ts";
import { shorten } from "../../../base/text/text.ts";
import type { Hasher } from "../../../ports/runtime.ts";
import type { Scope } from "../../../transcript/entries.ts";

/**
 * Longest scope that is its own key, in bytes; a longer one is its hash. Source: a row of an index ends at 2,704
 * bytes.
 */
const SCOPE_KEY_LIMIT_BYTES = 1_024;
/** Longest name of a schema, in characters. Source: the server cuts names at 63 bytes. */
const SCHEMA_NAME_LIMIT_CHARS = 63;

/** The version that {@link migration} brings the tables to. */
export const TABLES_VERSION = 3;
/** The oldest version that takes appends: `migrate` may run after the new program starts. */
export const OLDEST_TABLES_VERSION = 2;
/** From this version on a row of the entries has a checksum. */
export const CHECKSUM_VERSION = 3;

const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Quoted names, ready for a statement. */
export interface Tables {
  readonly schema: string;
  readonly versions: string;
  readonly sessions: string;
  readonly entries: string;
  readonly blobs: string;
  readonly notes: string;
  readonly damage: string;
}

/** @throws `OptionError` for a name that is not plain, so that the quoted names below need no escaping. */
export function tablesIn(schema: string): Tables {
  const isPlain = typeof schema === "string" && NAME_PATTERN.test(schema);
  if (!isPlain || schema.length > SCHEMA_NAME_LIMIT_CHARS || /^pg_/i.test(schema))
    throw new OptionError({
      message: `${JSON.stringify(shorten(String(schema), 80))} cannot be the name of a schema here.`,
      hint: `Use 1 to ${SCHEMA_NAME_LIMIT_CHARS} of the characters A-Z a-z 0-9 _, no digit first and not pg_.`,
    });
  const named = (table: string): string => `"${schema}"."${table}"`;
  return {
    schema,
    versions: named("versions"),
    sessions: named("sessions"),
    entries: named("entries"),
    blobs: named("blobs"),
    notes: named("notes"),
    damage: named("damage"),
  };
}

/** One statement that makes missing tables; concurrent ones wait for each other. */
export function migration(tables: Tables): string {
  const { schema } = tables;
  return `DO $palimpsest$
DECLARE known integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('palimpsest'), hashtext('${schema}'));
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN
    CREATE SCHEMA "${schema}";
  END IF;
  -- IF NOT EXISTS would ask for the right to create also where there is nothing to create.
  IF to_regclass('${tables.versions}') IS NULL THEN
    CREATE TABLE ${tables.versions} (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now()
    );
  END IF;
  SELECT coalesce(max(version), 0) INTO known FROM ${tables.versions};
  IF known < 1 THEN
    ${firstVersion(tables)}
    INSERT INTO ${tables.versions} (version) VALUES (1);
  END IF;
  IF known < 2 THEN
    ${secondVersion(tables)}
    INSERT INTO ${tables.versions} (version) VALUES (2);
  END IF;
  IF known < 3 THEN
    ${thirdVersion(tables)}
    INSERT INTO ${tables.versions} (version) VALUES (3);
  END IF;
END
$palimpsest$`;
}

function firstVersion({ sessions, entries, blobs }: Tables): string {
  return `CREATE TABLE ${sessions} (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      session_id text COLLATE "C" NOT NULL,
      last_seq bigint NOT NULL DEFAULT 0,
      bytes bigint NOT NULL DEFAULT 0,
      last_activity bigint NOT NULL DEFAULT 0,
      header text,
      metadata text NOT NULL DEFAULT '{}',
      first_prompt text,
      lease_token bigint NOT NULL DEFAULT 0,
      lease_owner text,
      lease_holder text,
      lease_until timestamptz,
      trashed_at bigint,
      trash_reason text,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX sessions_live ON ${sessions} (scope, session_id) WHERE trashed_at IS NULL;
    CREATE UNIQUE INDEX sessions_trashed ON ${sessions} (scope, session_id) WHERE trashed_at IS NOT NULL;
    CREATE INDEX sessions_latest ON ${sessions} (scope, last_activity DESC, session_id)
      WHERE trashed_at IS NULL AND last_seq > 0;
    CREATE TABLE ${entries} (
      session_key bigint NOT NULL REFERENCES ${sessions} (key) ON DELETE CASCADE,
      seq bigint NOT NULL,
      is_checkpoint boolean NOT NULL,
      bytes integer NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session_key, seq)
    );
    CREATE INDEX entries_checkpoints ON ${entries} (session_key, seq) WHERE is_checkpoint;
    CREATE TABLE ${blobs} (
      session_key bigint NOT NULL REFERENCES ${sessions} (key) ON DELETE CASCADE,
      hash text COLLATE "C" NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (session_key, hash)
    );`;
}

function secondVersion({ sessions, notes }: Tables): string {
  return `CREATE TABLE ${notes} (
      session_key bigint PRIMARY KEY REFERENCES ${sessions} (key) ON DELETE CASCADE,
      content bytea NOT NULL
    );`;
}

/**
 * Adding a column without a default rewrites nothing, so it takes no time in a large table. Rows that a
 * program of the version before appends have no checksum either.
 */
function thirdVersion({ sessions, entries, damage }: Tables): string {
  return `ALTER TABLE ${entries} ADD COLUMN checksum bigint;
    CREATE TABLE ${damage} (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      session_key bigint NOT NULL REFERENCES ${sessions} (key) ON DELETE CASCADE,
      seq bigint NOT NULL,
      to_seq bigint NOT NULL,
      reason text NOT NULL,
      is_moved boolean NOT NULL,
      body text,
      found_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX damage_of_session ON ${damage} (session_key, seq);`;
}

/** Removes sessions whose writer died between its first blob and its first entry, a day ago or more. */
export function leftovers({ sessions, entries, damage }: Tables): string {
  return `DELETE FROM ${sessions} s WHERE s.last_seq = 0 AND s.created_at < clock_timestamp() - interval '1 day'
    AND (s.lease_until IS NULL OR s.lease_until < clock_timestamp())
    AND NOT EXISTS (SELECT FROM ${entries} e WHERE e.session_key = s.key)
    AND NOT EXISTS (SELECT FROM ${damage} d WHERE d.session_key = s.key)`;
}

/**
 * Tenant and project as one text, which is part of every key. JSON, so that no two scopes look alike (a missing tenant
 * is not an empty one) and every character is allowed. A text that is too long for an index becomes its hash, which is
 * never equal to a JSON text.
 */
export function scopeKey({ tenant, project }: Scope = {}, hasher: Hasher): string {
  const json = JSON.stringify([tenant ?? null, project ?? null]);
  return Buffer.byteLength(json) <= SCOPE_KEY_LIMIT_BYTES ? json : `sha256:${hasher.sha256(json)}`;
}
