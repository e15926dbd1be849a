/** The token of a command that listens: read from a file that only its owner may read, compared in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { OptionError } from "palimpsest";
import { errorMessage } from "palimpsest/internal";

/** Largest token file, in bytes: a token is one short line. */
const TOKEN_FILE_BYTES = 4_096;

/** Reads the token. Messages have the path, never the content. @throws `OptionError` */
export function readToken(path: string): string {
  const refuse = (message: string, cause?: unknown): never => {
    const hint = "Make one: (umask 077; openssl rand -hex 32 > token).";
    throw new OptionError({ message: `The token file ${path} ${message}.`, hint, cause });
  };
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > TOKEN_FILE_BYTES) return refuse("is not a short file");
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0)
      return refuse("can be read by other users (chmod 600)");
    const token = readFileSync(path, "utf8").trim();
    return /^[\x21-\x7e]{16,}$/.test(token)
      ? token
      : refuse("needs a token of 16 characters or more, without blanks");
  } catch (error) {
    if (error instanceof OptionError) throw error;
    return refuse(`cannot be read: ${errorMessage(error)}`, error);
  }
}

/** Returns a check of `Authorization` headers. Its time does not depend on how much of the token is right. */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = hash(`Bearer ${token}`);
  return (authorization = "") => timingSafeEqual(hash(authorization), expected);
}
