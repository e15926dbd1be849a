/**
 * Tenant and project as one text, which is part of every key.
 *
 * As JSON, so that no two scopes look alike (a missing tenant is not an empty one) and no character is
 * refused. One that is too long for an index is its hash, which no JSON text looks like.
 */
import { POSTGRES_DEFAULTS } from "../../base/defaults/postgres.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { Scope } from "../../transcript/entries.ts";

export function scopeKey({ tenant, project }: Scope = {}, hasher: Hasher): string {
  const json = JSON.stringify([tenant ?? null, project ?? null]);
  return Buffer.byteLength(json) <= POSTGRES_DEFAULTS.scopeKeyLimitBytes
    ? json
    : `sha256:${hasher.sha256(json)}`;
}
