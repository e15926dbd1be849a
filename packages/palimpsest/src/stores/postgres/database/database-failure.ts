/**
 * Classifies errors of a database: temporary ones, lost connections, and messages for the rest.
 *
 * An error with an SQLSTATE comes from the server, which has rolled the statement back. One without comes from the
 * connection; then it is unknown if the statement was carried out.
 */
import { AssertionError } from "../../../base/assert.ts";
import { PalimpsestError, StoreError } from "../../../base/errors.ts";

/** Names of the server's errors, as far as something is done about them. */
export const SQLSTATE = { uniqueViolation: "23505", undefinedTable: "42P01" } as const;

const SQLSTATE_PATTERN = /^[0-9A-Z]{5}$/;

/** Server errors that may succeed on a retry with the same data. */
const PASSING: ReadonlySet<string> = new Set([
  ...["40001", "40P01", "40003", "55P03"], // serialization, deadlock, unknown outcome, lock not to be had
  ...["53300", "57P01", "57P02", "57P03", "57P05"], // too many connections; the server goes, went, comes; idle too long
  ...["57014", "25P03", "25006"], // stopped by a time limit, or by a standby that does not write yet
]);
/** After these the connection is of no use, whatever the client thinks. */
const BREAKING = /^(?:08|57P|25P03|25006)/;

const CONNECTION_HINT =
  "Check that the server can be reached and that the pool has enough connections, then try again: what is stored already is found.";
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:42P01|3F000|42703)$/, "Make the tables with `migrate()` before the store is used."],
  [
    /^42501$/,
    "Grant the role the use of the schema, and select, insert, update and delete on its tables; tables are made by the owner of the schema.",
  ],
  [/^53[12]00$|^58030$/, "Give the server disk space or memory; the session goes on with the next append."],
  [/^57014$/, "Raise the role's statement_timeout, or append less at once; then try again."],
  [/^(?:40|55P03)/, "Too many write the same rows at once; try again."],
  [/^28/, "Check the user and the password of the connection."],
  [/^3D000$/, "Check the name of the database, or create it."],
  [/^(?:08|53300|57P|25006)/, CONNECTION_HINT],
];

/** Errors of TLS: a certificate that is not believed stays so. */
const CERTIFICATE = /CERT|VERIFY_LEAF|ALTNAME/;
const CERTIFICATE_HINT =
  "Pass the certificate of the authority that signed the server's: `ssl: { ca }` of the pool, with a `servername` that is in it.";

/** Nothing came in time: the same as a lost connection. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** The SQLSTATE of an error that the server gave; `undefined` where the connection failed. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" && SQLSTATE_PATTERN.test(code) && !/^E[A-Z]{4}$/.test(code)
    ? code
    : undefined;
}

/** True if a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (isOurs(error) || error instanceof TypeError) return false;
  const state = sqlState(error);
  if (state === undefined) return !isOfCertificate(error);
  return state.startsWith("08") || PASSING.has(state);
}

/** True if the connection has to be closed. */
export function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || BREAKING.test(state);
}

/** A `STORE_FAILED` around what the server or the connection said. Bugs and errors of ours pass as they are. */
export function databaseFailure(what: string, error: unknown): Error {
  if (isOurs(error)) return error;
  const state = sqlState(error);
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new StoreError("STORE_FAILED", {
    message: `${what}: ${reason}${state === undefined ? "" : ` (SQLSTATE ${state})`}`,
    hint: isOfCertificate(error) ? CERTIFICATE_HINT : hintFor(state),
    cause: error,
  });
}

function isOfCertificate(error: unknown): boolean {
  return CERTIFICATE.test(String((error as { readonly code?: unknown } | undefined)?.code));
}

function hintFor(state: string | undefined): string {
  if (state === undefined) return CONNECTION_HINT;
  return HINTS.find(([pattern]) => pattern.test(state))?.[1] ?? "Look the SQLSTATE up, then try again.";
}

function isOurs(error: unknown): error is Error {
  return error instanceof AssertionError || error instanceof PalimpsestError;
}
