/** Passwords of several words between quotes, and passwords that code sets. */
import { describe, expect, it } from "vitest";
import { findSecrets, takeOut } from "#base/redaction/secret-patterns.ts";

const redactSecrets = (text: string) => takeOut(text, findSecrets(text));

/** Its family is written where the value was. */
const TAKEN: readonly (readonly [text: string, value: string, family: string])[] = [
  ['password = "correct horse battery"', "correct horse battery", "password"],
  ["DB_PASSWORD='correct horse battery staple'", "correct horse battery staple", "password"],
  ['{"password":"correct horse battery"}', "correct horse battery", "password"],
  [String.raw`{\"password\": \"correct horse battery\"}`, "correct horse battery", "password"],
  ['The Passphrase is "correct horse battery".', "correct horse battery", "password"],
  ["ALTER ROLE app PASSWORD 'correct horse battery'", "correct horse battery", "password"],
  ['os.environ["DB_PASSWORD"] = "correct horse battery"', "correct horse battery", "password"],
  ['--password "Correct Horse, 9lives!"', "Correct Horse, 9lives!", "password"],
  ["sshpass -p 'correct horse battery' ssh host", "correct horse battery", "curl"],
  ['curl -u "admin:correct horse battery" https://x.example', "correct horse battery", "curl"],
  ['curl -H "A: b" -u admin:correct "https://x.example"', "correct", "curl"],
  ['os.environ["DB_PASSWORD"] = "hunter2xyz"', "hunter2xyz", "password"],
  ["$config['db']['password'] = 'hunter2xyz';", "hunter2xyz", "password"],
  ["user[password]=hunter2xyz", "hunter2xyz", "password"],
  ['client.setPassword("hunter2xyz")', "hunter2xyz", "password"],
  [
    `https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=${"0a".repeat(32)}`,
    "0a".repeat(32),
    "url-credentials",
  ],
];

describe("the search for secrets", () => {
  it.each(TAKEN)("takes all of the value out of %s", (text, value, family) => {
    const { text: shown, found } = redactSecrets(text);
    expect(shown).toBe(text.replace(value, `[redacted: ${family}]`));
    expect([...found]).toEqual([[family, 1]]);
  });

  it.each([
    'password: "must have at least eight characters"',
    'password: "Enter Your Password Again"',
    '{"password": "Mindestens 8 Zeichen", "passphrase": "Au moins 12 lettres"}',
    '"password": "al menos 12 letras", "passwort": "bitte hier eingeben"',
    'password: "Reset My Account"; password = "wrong password"; passwd: "two words"',
    'hashPassword("sha256"); password("pbkdf2-sha512"); password(read("file1"))',
    'schema["password"] = string; form["password"] = value; rows[password] = 12',
    "[reset password]: https://app.example/docs/auth2\n[`Password`]: crate::auth2::Password",
    "[change password]: #change-2; [access-token]: docs/1a2b-access-token-3c.md",
    "the password, 'which no one knows', is long",
    "X-Amz-Signature=<signature>; X-Amz-Signature=${sign(request)}",
  ])("leaves alone: %s", (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: new Map() });
  });
});
