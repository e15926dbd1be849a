/**
 * Keys and passwords in text, by the shapes that their issuers give them, so that a derived file need not
 * carry them on.
 *
 * Linear in the text, whoever wrote it: every repetition is bounded or begins at a mark that it cannot
 * run over, and PEM blocks are followed by hand. Whatever is longer than any key ends one. What has no shape of its own (a password in a
 * sentence, a key split over two blocks) is not found; a commit, a checksum and a UUID are left alone.
 */

/** Whose key it looks like. */
export type SecretFamily =
  | "anthropic"
  | "openrouter"
  | "openai"
  | "github"
  | "aws"
  | "google"
  | "slack"
  | "webhook"
  | "supabase"
  | "gitlab"
  | "stripe"
  | "huggingface"
  | "sendgrid"
  | "digitalocean"
  | "jwt"
  | "private-key"
  | "bot-token"
  | "url-credentials"
  | "npm"
  | "service-account"
  | "authorization"
  | "password";

export interface RedactedText {
  readonly text: string;
  /** How many were found, by family; empty where the text is as it was. */
  readonly found: ReadonlyMap<SecretFamily, number>;
}

interface SecretPattern {
  readonly family: SecretFamily;
  /** In small letters, one of which every match holds: asking for them is many times faster than matching. */
  readonly marks: readonly string[];
  /** Where there is a group `kept`, it stays in front of what is taken out. */
  readonly pattern: RegExp;
}

/** A quote as it stands in text, in JSON, and in JSON inside JSON. */
const QUOTE = String.raw`\\{0,3}["']`;
/** A value up to its quote, however often that is escaped. */
const QUOTED_VALUE = String.raw`(?:[^"\\]|\\(?![\\"]))`;

const PLAIN_PATTERNS: readonly SecretPattern[] = [
  { family: "anthropic", marks: ["sk-ant-"], pattern: /(?<![\w-])sk-ant-[\w-]{20,9999}/g },
  { family: "openrouter", marks: ["sk-or-"], pattern: /(?<![\w-])sk-or-[\w-]{24,9999}/g },
  {
    family: "openai",
    marks: ["sk-"],
    pattern:
      /(?<![\w-])sk-(?:(?:proj|svcacct|admin)-[\w-]{24,9999}|(?=[A-Za-z]{0,47}\d)[A-Za-z0-9]{40,9999})/g,
  },
  {
    family: "github",
    marks: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{30,9999}|github_pat_\w{30,9999})/g,
  },
  { family: "aws", marks: ["akia", "asia"], pattern: /(?<![A-Za-z0-9])A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  {
    family: "aws",
    marks: ["secret_access_key", "secretaccesskey"],
    pattern:
      /(?<kept>secret_?access_?key(?:\\{0,3}["'])?\s{0,4}[:=]\s{0,4}(?:\\{0,3}["'])?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  },
  { family: "google", marks: ["aiza"], pattern: /(?<![\w-])AIza[\w-]{35}/g },
  { family: "slack", marks: ["xox"], pattern: /(?<![\w-])xox[abeoprs]-[\w-]{10,9999}/g },
  { family: "webhook", marks: ["whsec_"], pattern: /(?<!\w)whsec_[A-Za-z0-9+/=_-]{16,9999}/g },
  { family: "supabase", marks: ["sbp_"], pattern: /(?<!\w)sbp_[A-Za-z0-9]{32,9999}/g },
  { family: "gitlab", marks: ["glpat-"], pattern: /(?<![\w-])glpat-[\w.-]{20,9999}/g },
  {
    family: "stripe",
    marks: ["k_live_", "k_test_"],
    pattern: /(?<!\w)[rs]k_(?:live|test)_[A-Za-z0-9]{16,9999}/g,
  },
  { family: "huggingface", marks: ["hf_"], pattern: /(?<!\w)hf_[A-Za-z0-9]{30,9999}/g },
  { family: "sendgrid", marks: ["sg."], pattern: /(?<![\w.-])SG\.[\w-]{16,64}\.[\w-]{32,9999}/g },
  { family: "digitalocean", marks: ["do"], pattern: /(?<!\w)do[opr]_v1_[a-f0-9]{32,9999}/g },
  {
    family: "jwt",
    marks: ["eyj"],
    pattern: /(?<![\w-])eyJ[\w-]{8,9999}\.eyJ[\w-]{8,9999}\.[\w-]{8,9999}/g,
  },
  {
    family: "bot-token",
    marks: [":aa", "."],
    pattern: /(?<![\w-])(?:\d{8,10}:AA[\w-]{33}|[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/g,
  },
  {
    family: "url-credentials",
    marks: ["://"],
    pattern: /(?<kept>:\/\/[^\s/:@"'<>\\]{0,128}:)(?!\[redacted|\$\{?\w{1,64}\}?@)[^\s/@"'<>\\]{3,256}(?=@)/g,
  },
  {
    family: "npm",
    marks: ["_auth", "_password", "npm_"],
    pattern:
      /(?<kept>(?<!\w)(?:_authToken|_auth|_password)[ \t]{0,4}=[ \t]{0,4}["']?)(?![[$])[^\s"'\\]{8,9999}|(?<!\w)npm_[A-Za-z0-9]{36}/g,
  },
  {
    family: "service-account",
    marks: ["private_key", "client_secret"],
    pattern: new RegExp(
      String.raw`(?<kept>${QUOTE}(?:private_key(?:_id)?|client_secret)${QUOTE}\s{0,4}:\s{0,4}\\{0,3}")(?!\[redacted)${QUOTED_VALUE}{8,9999}`,
      "g",
    ),
  },
  {
    family: "authorization",
    marks: ["authorization", "bearer", "api-key", "api_key", "apikey"],
    pattern:
      /(?<kept>(?<!\[redacted: )authorization\W{0,8}[:=]\s{0,4}(?:\\{0,3}["'])?(?:(?:bearer|basic|token|digest)\s{1,4})?|\bbearer\s{1,4}|\b(?:x-)?api[-_]?key(?:\\{0,3}["'])?\s{0,4}[:=]\s{0,4}(?:\\{0,3}["'])?)(?![[$]|(?:process\.env|import\.meta|os\.environ|env|config|settings|options|secrets|self|this)\.)(?=[A-Za-z_~+/=.-]{0,64}\d)[\w.~+/=-]{16,9999}/gi,
  },
  {
    // Said to be one, in a file of variables or a sentence; a word without a digit is more often a type or a call.
    family: "password",
    marks: ["password", "passwd", "passphrase", "secret"],
    pattern:
      /(?<kept>(?:password|passwd|passphrase|secret(?:[_-]?key)?)(?:\\{0,3}["'])?(?:\s{0,4}[:=]\s{0,4}|\s{1,4}is\s{1,4}(?:now\s{1,4})?)(?:\\{0,3}["'])?)(?=[^\s"'\\()[\]{}<>$,;]{0,64}\d)(?=[^\s"'\\()[\]{}<>$,;]{0,64}[A-Za-z])(?!(?:process\.env|import\.meta|os\.environ|env|config|settings|options|secrets|self|this|args|params|req|request|data|user)\b[.?])[^\s"'\\()[\]{}<>$,;]{6,256}(?<![.!?])/gi,
  },
];

/** How a key begins in base64, as configuration keeps it; a certificate and a public key are left alone. */
const ENCODED: readonly (readonly [SecretFamily, string])[] = [
  ["anthropic", "c2stYW50L"],
  ["openrouter", "c2stb3It"],
  ["github", "Z2h[wvz1y]X"],
  ["github", "Z2l0aHViX3BhdF"],
  ["aws", "QUtJQ"],
  ["google", "QUl6Y"],
  ["slack", "eG94(?:Yi|cC|YS)"],
  ["webhook", "d2hzZWNf"],
  ["supabase", "c2JwX"],
  ["private-key", "LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)"],
];

const PATTERNS: readonly SecretPattern[] = [
  ...PLAIN_PATTERNS,
  ...ENCODED.map(([family, beginning]) => ({
    family,
    // Up to where the beginning has a choice.
    marks: [/^\w+/.exec(beginning)![0].toLowerCase()],
    pattern: new RegExp(`(?<![A-Za-z0-9+/])${beginning}[A-Za-z0-9+/]{20,9999}={0,2}`, "g"),
  })),
];

/** A secret's place in a text: what is taken out of it. */
export interface SecretSpan {
  readonly family: SecretFamily;
  readonly from: number;
  /** Behind its last character. */
  readonly to: number;
}

/** Every secret of the text, from the first to the last; none overlaps another. */
export function findSecrets(text: string): readonly SecretSpan[] {
  const lower = text.toLowerCase();
  const found: SecretSpan[] = lower.includes("private key") ? [...findPem(text)] : [];
  for (const { family, marks, pattern } of PATTERNS) {
    if (!marks.some((mark) => lower.includes(mark))) continue;
    for (const match of text.matchAll(pattern)) {
      const kept = match.groups?.["kept"]?.length ?? 0;
      found.push({ family, from: match.index + kept, to: match.index + match[0].length });
    }
  }
  return joinSpans(found);
}

/** In the order of the text, what overlaps put together; it is of the family that was looked for first. */
export function joinSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (spans.length < 2) return spans;
  const ranked = spans.map((span, rank) => ({ ...span, rank }));
  ranked.sort((a, b) => a.from - b.from || a.rank - b.rank);
  const joined: (typeof ranked)[number][] = [];
  for (const span of ranked) {
    const last = joined.at(-1);
    if (last === undefined || span.from >= last.to) joined.push(span);
    else {
      const { family, rank } = span.rank < last.rank ? span : last;
      joined[joined.length - 1] = { family, rank, from: last.from, to: Math.max(last.to, span.to) };
    }
  }
  return joined.map(({ family, from, to }) => ({ family, from, to }));
}

/** The text with every secret replaced by `[redacted: family]`. The same string where there is none. */
export function redactSecrets(text: string): RedactedText {
  return takeOut(text, findSecrets(text));
}

/** The text with these spans replaced by `[redacted: family]`. */
export function takeOut(text: string, spans: readonly SecretSpan[]): RedactedText {
  const found = new Map<SecretFamily, number>();
  if (spans.length === 0) return { text, found };
  const parts: string[] = [];
  let kept = 0;
  for (const { family, from, to } of spans) {
    parts.push(text.slice(kept, from), `[redacted: ${family}]`);
    found.set(family, (found.get(family) ?? 0) + 1);
    kept = to;
  }
  return { text: parts.join("") + text.slice(kept), found };
}

const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_TAIL = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
/** A piece of what a key's body is made of, line breaks of text inside JSON among it. */
const PEM_BODY = /(?:[A-Za-z0-9+/=\s]|\\[nr\\]){1,4096}/y;

/** Blocks with their end, and the body of those that were cut off before it. */
function* findPem(text: string): Iterable<SecretSpan> {
  PEM_HEAD.lastIndex = 0;
  for (let head = PEM_HEAD.exec(text); head !== null; head = PEM_HEAD.exec(text)) {
    const bodyFrom = PEM_HEAD.lastIndex;
    const dashes = text.indexOf("-----", bodyFrom);
    PEM_TAIL.lastIndex = dashes;
    let end = bodyFrom;
    if (dashes !== -1 && PEM_TAIL.test(text)) end = PEM_TAIL.lastIndex;
    else {
      PEM_BODY.lastIndex = bodyFrom;
      while (PEM_BODY.test(text)) end = PEM_BODY.lastIndex;
    }
    yield { family: "private-key", from: head.index, to: end };
    PEM_HEAD.lastIndex = end;
  }
}
