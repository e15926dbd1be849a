/** Keys are found by their shape, and what only looks like one is left alone. */
import { describe, expect, it } from "vitest";
import { COMMAND_SECRETS } from "#base/redaction/command-secrets.ts";
import { NAMED_SECRETS } from "#base/redaction/named-secrets.ts";
import { SECRET_CONTEXTS } from "#base/redaction/secret-contexts.ts";
import { KEY_SHAPES } from "#base/redaction/secret-families.ts";
import { findSecrets, takeOut } from "#base/redaction/secret-patterns.ts";
import { PLANTED_SECRETS, SECRETS_OF_LINES } from "../../../../../test/helpers/planted-secrets.ts";

const redactSecrets = (text: string) => takeOut(text, findSecrets(text));

/** Made up here, and put together so that no scanner takes this file for a leak. */
const key = (...parts: readonly string[]): string => parts.join("");
const A = "abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ012";
/** A key of letters alone: one of three hundred that are 32 characters long has no digit. */
const LETTERS = "abCDfGhIJkLmNoPQrStUvWXyZqRw";
const PEM_BODY = `${A}${A}\n${A}+/${A}==\n`;
const PEM = key("-----BEGIN RSA PRIV", "ATE KEY-----\n", PEM_BODY, "-----END RSA PRIV", "ATE KEY-----");

const SECRETS: readonly {
  readonly family: string;
  readonly secret: string;
  readonly around?: readonly [string, string];
}[] = [
  { family: "anthropic", secret: key("sk-", "ant-api03-", A, "-", A) },
  { family: "openrouter", secret: key("sk-", "or-v1-", A, A) },
  { family: "openai", secret: key("sk-", "proj-", A, A) },
  { family: "openai", secret: key("sk-", A, A.slice(0, 16)) },
  { family: "github", secret: key("gh", "p_", A, "abcd") },
  { family: "github", secret: key("github", "_pat_", A, "_", A) },
  { family: "aws", secret: key("AKI", "AIOSFODNN7EXAMPLE") },
  { family: "aws", secret: key(A, "+/abCD3f"), around: ["AWS_SECRET_ACCESS_KEY=", "\n"] },
  { family: "aws", secret: key(A, "+/abCD3f"), around: ['"SecretAccessKey": "', '"'] },
  { family: "google", secret: key("AIz", "a", A, "xyz") },
  { family: "slack", secret: key("xox", "b-1234567890-", A) },
  { family: "webhook", secret: key("whs", "ec_", A) },
  { family: "supabase", secret: key("sb", "p_", "0123456789abcdef0123456789abcdef01234567") },
  { family: "gitlab", secret: key("glp", "at-", A) },
  { family: "stripe", secret: key("sk", "_live_", A) },
  { family: "stripe", secret: key("rk", "_live_", A) },
  { family: "huggingface", secret: key("h", "f_", A, "ab") },
  { family: "sendgrid", secret: key("S", "G.", A, ".", A, "-abcdefghijk") },
  { family: "digitalocean", secret: key("do", "p_v1_", "0123456789abcdef".repeat(4)) },
  { family: "password", secret: "hunter2-and-more", around: ["DB_PASSWORD=", "\n"] },
  { family: "password", secret: "c0rrect.horse", around: ['"password": "', '"'] },
  { family: "password", secret: "Winter2027", around: ["the password is ", ". It"] },
  { family: "password", secret: "abc123def456", around: ["passwd: ", ","] },
  { family: "jwt", secret: key("ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", A) },
  { family: "private-key", secret: PEM },
  { family: "private-key", secret: JSON.stringify(PEM).slice(1, -1), around: ['{"key":"', '"}'] },
  { family: "bot-token", secret: key("123456789", ":AA", A, "x") },
  {
    family: "url-credentials",
    secret: "hunter2-and-more",
    around: ["postgres://admin:", "@db.example.com/x"],
  },
  { family: "npm", secret: A, around: ["//registry.npmjs.org/:_authToken=", "\n"] },
  { family: "npm", secret: key("np", "m_", A, "wxyz") },
  {
    family: "service-account",
    secret: "0123456789abcdef0123456789abcdef01234567",
    around: ['"private_key_id": "', '",'],
  },
  { family: "service-account", secret: "GOCSPX-abcdefgh", around: ['\\"client_secret\\": \\"', '\\"'] },
  { family: "authorization", secret: A, around: ["Authorization: Bearer ", "\n"] },
  {
    family: "authorization",
    secret: "dXNlcjpwYXNzd29yZDEyMw==",
    around: ['\\"authorization\\": \\"Basic ', '\\"'],
  },
  { family: "authorization", secret: A, around: ["x-api-key: ", ""] },
  { family: "authorization", secret: LETTERS, around: ["Authorization: Bearer ", "\n"] },
  { family: "authorization", secret: LETTERS, around: ["authorization=", ""] },
  { family: "authorization", secret: LETTERS, around: ["then a bearer ", ","] },
  { family: "authorization", secret: LETTERS, around: ['{\\"x-api-key\\": \\"', '\\"}'] },
  { family: "authorization", secret: LETTERS, around: ["DEPLOY_TOKEN=", "\n"] },
];

/** Families whose keys begin with what is theirs alone. */
const ENCODED = new Set([
  "anthropic",
  "openrouter",
  "github",
  "aws",
  "google",
  "slack",
  "webhook",
  "supabase",
  "private-key",
]);

describe("the search for secrets", () => {
  it.each(SECRETS)("takes out $family: $secret", ({
    family,
    secret,
    around: [before, after] = ["key = ", ", done"],
  }) => {
    const { text, found } = redactSecrets(`see ${before}${secret}${after} and more`);
    expect(text).toBe(`see ${before}[redacted: ${family}]${after} and more`);
    expect([...found]).toEqual([[family, 1]]);
    // A redacted secret is not found again: a derived file of a derived file is the same.
    expect(redactSecrets(text).text).toBe(text);
  });

  it.each(PLANTED_SECRETS)("takes out $family, whatever it is planted in: $text", ({
    family,
    text,
    body,
  }) => {
    const redacted = redactSecrets(`see ${text} and more`);
    expect(redacted.text).not.toContain(body);
    expect([...redacted.found.keys()]).toEqual([family]);
    expect(redactSecrets(redacted.text).text).toBe(redacted.text);
  });

  it.each(SECRETS_OF_LINES)("takes out $family by all that is around it: $text", ({ family, text, body }) => {
    for (const written of [text, text.replaceAll("\n", "\r\n"), JSON.stringify(text)]) {
      const redacted = redactSecrets(`see\n${written}\nand more`);
      expect(redacted.text).not.toContain(body);
      expect([...redacted.found.keys()]).toEqual([family]);
    }
  });

  it("knows at least a hundred families, and the planted secrets have one of each", () => {
    const families = new Set<string>(
      [...KEY_SHAPES, ...SECRET_CONTEXTS, ...NAMED_SECRETS, ...COMMAND_SECRETS].map(({ family }) => family),
    );
    const planted = new Set(["seed-phrase", ...PLANTED_SECRETS.map(({ family }) => family)]);
    expect(families.size).toBeGreaterThanOrEqual(95);
    expect([...families].filter((family) => !planted.has(family))).toEqual([]);
  });

  it.each([
    ["\n", "a line"],
    ["\\n", "a line of JSON"],
    ["%3D", "an address"],
    ["\u001b[33m", "a terminal's color"],
    ["=", "a setting"],
    ['"', "a quotation"],
  ])("takes out a key behind %j of %s", (before) => {
    const { text } = redactSecrets(`x${before}${SECRETS[4]!.secret}`);
    expect(text).toBe(`x${before}[redacted: github]`);
  });

  it.each([
    "s_auth = response.headers.get('www-authenticate', '')",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 8e29ab0c-4a5f-4f0e-9b1a-0b8c6a1f2d3e",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-oeG3wBvLpVYYbbCz1pvCcJp8K7yPnfYbwpWsOwmWu0nJqfJqN4n2wBbTzYyFqkVxNyYhM3uQW3gV5xDk4gT0cA==",
    "https://example.com/a:b/c?d=e@f",
    "git@github.com:owner/name.git",
    "the bearer of this letter is entitled to everything in it",
    "Authorization: required for all of the endpoints",
    key("a task-oriented sk-learn pipeline, sk-", "estimators-and-transformers-are-documented-there"),
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "eyJ is how base64 of a JSON object begins",
    'const token = process.env["API_KEY"]; headers["x-api-key"] = token;',
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    "password: string; passwd = getpass(prompt2)",
    "DB_PASSWORD=${DB_PASSWORD_2} password=process.env.PASSWORD1",
    "the password is kept in vault number 7, the secret is patience",
    'password: "[redacted: password]"',
    "a task_live_update and hf_model_name",
    "heroku app 01234567-89ab-4cde-8f01-0123456789ab was restarted",
    "the clave es importante, el password es obligatorio",
    "Das Passwort ist leider falsch, das Kennwort lautet anders",
    "密码是什么？ 密码不能为空",
    "-----BEGIN PRIVATE KEY----- is how a key begins",
    "curl -u $USER:$PASS https://x.example",
    "Cookie: session=${token}; cookie = parse(request2)",
    "session_id=test-session-phase-1 event=2",
    "next_token = page2cursor; MAX_TOKENS=4096",
    "a bearer AuthenticationTokenProviderFactory is made by HTTPBearerTokenProviderRegistry",
    "Authorization: YourAccessTokenFromTheAdminConsole; X_API_TOKEN=YOUR_ACCESS_TOKEN_FROM_THE_CONSOLE",
    "apiKey = getApiKeyFromAWSSecretsManager(); Authorization: buildOAuthHeaderFromAPIKey(request)",
    "refresh_token: Optional[OAuthRefreshTokenJSON]",
    "machine learning login flow with a password field2",
    "tool --token <your token> --password $PASSWORD1 --api-key=${API_KEY_1B2}",
    "| password | string |\n| token | ******** |\n| secret | sha256 |",
    '["--password", "--token", "--user2"] ["password", "confirm_password2"]',
    "<password>${db.password1}</password> <token>%TOKEN1A2%</token>",
    "const password := readPassword2(file1); token := parseToken2b3(x)",
    "CREATE USER app IDENTIFIED BY '<password1>'; ALTER ROLE app PASSWORD NULL",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: { name: db2, key: password }",
    '{"name": "DB_PASSWORD", "value": "${DB_PASSWORD_2}"}',
    "token: process.env.TOKEN_1A2B3C4D5E6F and secret = config.secrets1a2b3c4d5e",
    '"nextPageToken": "Zk7dQm2Xv9Lp4Rt8Wy3Nb6Hc" and next_token=Zk7dQm2Xv9Lp4Rt8Wy3Nb6Hc',
    "mysql -u root -p app1; mysql -P 3306 -h db1; docker login -u me2 registry2.example",
    "password_hash: bcrypt; token_count: 4096; max_tokens=16384; secrets: [a1, b2]",
    "private_key: /etc/ssl/private/key2b3.pem, public key: abc",
    "user,password\nanna,$2b$10$N9qo8uLOickgx2ZMRZoMye\nben,changeme\ncarl,${PASSWORD_1}",
    "'encode_base64', 'password',\n'encode_sql92', 'encode_crc32',",
    "username=None,\n  password=None,\n  num_pools=10,\n  headers2=None)",
    "kind: ConfigMap\ndata:\n  a: dGhlIHJlc3Qgb2YgaXQ=\n---\nkind: SecretStore\ndata:\n  a: dGhlIHJlc3Qgb2YgaXQ=",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dGhlIHJlc3Qgb2YgaXQ\ndata: {}\n",
    'password: "^(?=.*[0-9])[a-z0-9]{8,}$"; password = "pre${NAME_1}post"; password=read(file1)',
    "Use `kind: Secret` for it:\n\ndata:\n  title: hello world\n",
    "k = `kind: Secret`;\n// kind: Secret\ncreate({\n  data: {\n    email: input.email,\n  },\n});",
    'kind: "Secret"\n}\n"data": {\n  "email": input.email,\n',
    "| Secret | Use |\n| --- | --- |\n| `AWS_S3_BUCKET_V2` | `CLIENT2` |",
    "name,token\nUSDC,0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\nwide,--space-2xl-4xl-x",
    "The password is SHA256-hashed, its password: Base64-encoded; passwort ist PBKDF2-SHA512.",
    "密码是 SHA256 加密的, şifre AES256 ile, hasło jest HMAC-SHA-256",
    "La parola COVID-19 del 2020. La parola del giorno è COVID-19.",
    "first_pass = 2nd-one; bypass: 12ab34; the compile-pass 1st-run2",
    "Hasło jest wymagane, şifre en az 8 karakter, mật khẩu là bắt buộc",
    "my seed phrase is in the safe where all other things are kept by us",
    "AC0123456789abcdef0123456789abcdef, 0123456789abcdef0123456789abcdef",
    "https:\\/\\/example.com\\/a:b\\/c@2x https%3A%2F%2Fexample.com%2Fa%3Ab@2x",
  ])("leaves alone: %s", (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: new Map() });
  });

  it.each(
    SECRETS.filter(
      ({ family, around, secret }) => ENCODED.has(family) && around === undefined && !secret.startsWith("np"),
    ),
  )("takes out what is $family in base64: $secret", ({ family, secret }) => {
    const encoded = Buffer.from(secret).toString("base64");
    const { text, found } = redactSecrets(
      `data:\n  token: ${encoded}\n  other: dGhlIHJlc3Qgb2YgaXQgaXMgcGxhaW4=\n`,
    );
    expect(text).toBe(`data:\n  token: [redacted: ${family}]\n  other: dGhlIHJlc3Qgb2YgaXQgaXMgcGxhaW4=\n`);
    expect([...found]).toEqual([[family, 1]]);
  });

  it.each(["CERTIFICATE", "PUBLIC KEY"])("leaves a %s in base64 alone", (what) => {
    const text = `ca: ${Buffer.from(`-----BEGIN ${what}-----\n${PEM_BODY}`).toString("base64")}`;
    expect(redactSecrets(text).text).toBe(text);
  });

  it("takes out the words of a wallet", () => {
    const words = "orbit velvet canyon drift ladder mimic oyster punch raven salute tunnel wisdom";
    expect(redactSecrets(`My seed phrase is: ${words}. Keep it.`).text).toBe(
      "My seed phrase is: [redacted: seed-phrase]. Keep it.",
    );
    expect(redactSecrets(`My seed phrase is: ${words} and so on`).text).not.toContain("wisdom");
    expect(redactSecrets(`mnemonic: ${words} ${words}`).text).toBe("mnemonic: [redacted: seed-phrase]");
    expect(redactSecrets(`mnemonic: ${words} understanding`).text).toBe(
      "mnemonic: [redacted: seed-phrase] understanding",
    );
    expect(redactSecrets(`{"mnemonic":"${words}"}`).text).toBe('{"mnemonic":"[redacted: seed-phrase]"}');
  });

  it("takes out a key that was cut off before its end, and goes on behind it", () => {
    const cut = PEM.slice(0, PEM.indexOf("-----END"));
    expect(redactSecrets(`${cut}{"next": 1} ${PEM} end`).text).toBe(
      '[redacted: private-key]{"next": 1} [redacted: private-key] end',
    );
  });

  it("counts what it found, family by family", () => {
    const { found } = redactSecrets(`${SECRETS[0]!.secret} ${SECRETS[0]!.secret} ${SECRETS[4]!.secret}`);
    expect(found).toEqual(
      new Map([
        ["anthropic", 2],
        ["github", 1],
      ]),
    );
  });

  it.each([
    ["sk-ant-", "a"],
    ["Authorization: Bearer ", "a1"],
    ['"private_key": "', "a"],
    ["-----BEGIN PRIVATE KEY-----", "A"],
  ])("takes out %j in front of megabytes, which is more than an engine's stack holds", (mark, piece) => {
    expect(redactSecrets(`${mark}${piece.repeat(10_000_000 / piece.length)}`).found.size).toBe(1);
  });
});
