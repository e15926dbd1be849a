/** Errors of a database: those that pass, and what is said of the others. */
import { describe, expect, it } from "vitest";
import { databaseFailure, isPassing } from "#stores/postgres/database/database-failure.ts";

const errorOf = (code: string | undefined, message = "no") => Object.assign(new Error(message), { code });

describe("an error of a database", () => {
  it.each([
    { code: "ECONNREFUSED", isTried: true, hint: "can be reached", why: "the server may be starting" },
    { code: undefined, isTried: true, hint: "can be reached", why: "the connection was lost" },
    { code: "40001", isTried: true, hint: "try again", why: "two statements were in conflict" },
    { code: "28P01", isTried: false, hint: "the password", why: "the password stays wrong" },
    { code: "DEPTH_ZERO_SELF_SIGNED_CERT", isTried: false, hint: "ssl: { ca }", why: "it signed itself" },
    {
      code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      isTried: false,
      hint: "ssl: { ca }",
      why: "of an unknown signer",
    },
    { code: "ERR_TLS_CERT_ALTNAME_INVALID", isTried: false, hint: "servername", why: "of another name" },
    { code: "CERT_HAS_EXPIRED", isTried: false, hint: "ssl: { ca }", why: "it is too old" },
  ])("$code is tried again: $isTried, because $why", ({ code, isTried, hint }) => {
    expect(isPassing(errorOf(code))).toBe(isTried);
    const failure = databaseFailure("The sessions could not be listed", errorOf(code));
    expect(failure).toMatchObject({ code: "STORE_FAILED", hint: expect.stringContaining(hint) });
  });
});
