/**
 * Keys of twenty families as they would be made, and the texts in which they are found: sentences, JSON, files
 * of variables, commands, and broken over lines. All of it from a seed, put together so that no scanner takes
 * this file for a leak.
 */

/** The same numbers for the same seed, from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SMALL = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS = SMALL.toUpperCase();
const DIGITS = "0123456789";
const LETTERS = SMALL + CAPITALS + DIGITS;
const URL_SAFE = `${LETTERS}-_`;
const HEX = `${DIGITS}abcdef`;
const BASE_64 = `${LETTERS}+/`;

export interface SecretSample {
  readonly family: string;
  /** The mark of its family: a prefix, a header, a file's key. It may stay in the text. */
  readonly before: string;
  /** The secret part. */
  readonly secret: string;
  readonly after: string;
}

type Random = () => number;

const some = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** One maker a family: before, secret, after. */
const FAMILIES: Readonly<Record<string, (random: Random) => readonly [string, string, string?]>> = {
  anthropic: (r) => ["", `${"sk-"}ant-api03-${some(r, URL_SAFE, 93)}AA`],
  openrouter: (r) => ["", `${"sk-"}or-v1-${some(r, HEX, 64)}`],
  github: (r) => ["", `${"gh"}${some(r, "pousr", 1)}_${some(r, LETTERS, 36)}`],
  "github-pat": (r) => ["", `${"github_"}pat_${some(r, LETTERS, 22)}_${some(r, LETTERS, 59)}`],
  aws: (r) => ["", `${"AK"}IA${some(r, `${CAPITALS}234567`, 16)}`],
  google: (r) => ["", `${"AI"}za${some(r, URL_SAFE, 35)}`],
  slack: (r) => [
    "",
    `${"xo"}x${some(r, "bpa", 1)}-${some(r, DIGITS, 12)}-${some(r, DIGITS, 12)}-${some(r, LETTERS, 24)}`,
  ],
  webhook: (r) => ["", `${"wh"}sec_${some(r, LETTERS, 32)}`],
  supabase: (r) => ["", `${"sb"}p_${some(r, HEX, 40)}`],
  jwt: (r) => [
    "",
    `${json({ alg: "HS256", typ: "JWT" })}.${json({ sub: some(r, DIGITS, 10), iat: between(r, 1e9, 2e9) })}.${some(r, URL_SAFE, 43)}`,
  ],
  "private-key": (r) => [
    "",
    [
      `${"-----BEGIN "}RSA PRIVATE KEY-----`,
      ...Array.from({ length: between(r, 8, 24) }, () => some(r, BASE_64, 64)),
      `${some(r, BASE_64, 42)}==`,
      `${"-----END "}RSA PRIVATE KEY-----`,
    ].join("\n"),
  ],
  "bot-token": (r) => ["", `${some(r, "123456789", 1)}${some(r, DIGITS, 9)}:${"AA"}${some(r, URL_SAFE, 33)}`],
  "url-credentials": (r) => [
    `postgres://${some(r, SMALL, 6)}:`,
    some(r, LETTERS, between(r, 10, 32)),
    `@db.${some(r, SMALL, 7)}.example:5432/app`,
  ],
  npm: (r) => ["//registry.example/:_authToken=", some(r, LETTERS, 40)],
  "service-account": (r) => ['"private_key_id": "', some(r, HEX, 40), '"'],
  authorization: (r) => ["Authorization: Bearer ", some(r, URL_SAFE, between(r, 24, 64))],
  gitlab: (r) => ["", `${"glp"}at-${some(r, LETTERS, 20)}`],
  stripe: (r) => ["", `${some(r, "rs", 1)}${"k_"}live_${some(r, LETTERS, 24)}`],
  huggingface: (r) => ["", `${"h"}f_${some(r, LETTERS, 34)}`],
  sendgrid: (r) => ["", `${"S"}G.${some(r, URL_SAFE, 22)}.${some(r, URL_SAFE, 43)}`],
  digitalocean: (r) => ["", `${"do"}p_v1_${some(r, HEX, 64)}`],
};

export const SECRET_FAMILIES: readonly string[] = Object.keys(FAMILIES);

export function secretSample(family: string, random: Random): SecretSample {
  const [before, secret, after = ""] = FAMILIES[family]!(random);
  return { family, before, secret, after };
}

export interface Surroundings {
  readonly name: string;
  readonly around: (value: string) => string;
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

export const SURROUNDINGS: readonly Surroundings[] = [
  { name: "prose", around: (value) => `Use ${value} for the staging cluster, and rotate it in May.` },
  { name: "the end of a sentence", around: (value) => `The key is ${value}.\nIt expires soon.` },
  { name: "JSON", around: (value) => `{"id": 7, "value": "${escaped(value)}", "next": true}` },
  {
    name: "JSON in JSON",
    around: (value) => JSON.stringify({ body: JSON.stringify({ token: value, after: "text" }) }),
  },
  { name: "variables", around: (value) => `PORT=8080\nSERVICE_KEY=${value}\nDEBUG=false\n` },
  { name: "quoted variables", around: (value) => `export SERVICE_KEY='${value}'\nexport DEBUG=0` },
  { name: "a command", around: (value) => `deploy --token ${value} --region eu-west-1 --force` },
  { name: "a command's argument", around: (value) => `curl -H "X-Secret: ${value}" https://api.example/v1` },
  { name: "Markdown", around: (value) => `- **key**: \`${value}\` (staging)\n- other: none` },
  { name: "YAML", around: (value) => `service:\n  key: ${value}\n  port: 80` },
];

/** Ways to break a key in two; a private key has several lines anyway. */
export const BREAKS: readonly { readonly name: string; readonly mark: string }[] = [
  { name: "a terminal's line", mark: "\n" },
  { name: "an indented line", mark: "\n    " },
  { name: "a command that goes on", mark: "\\\n" },
  { name: "two strings of a program", mark: '" +\n  "' },
  { name: "a quotation", mark: "\n> " },
  { name: "a line inside JSON", mark: "\\n" },
  { name: "a character of no width", mark: "\u200b" },
];
