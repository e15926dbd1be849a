/**
 * Secrets without a distinct shape, known by what stands beside them: a name, a header, an address, a sentence.
 *
 * Each rule names words; its pattern is tried only where one of them stands, and begins there. Every repetition is
 * bounded, so a rule is linear in any text.
 */

/** Names of the families in this table. Written out, so that the published types need not hold the table. */
export type ContextFamily =
  | "private-key"
  | "ngrok"
  | "twilio"
  | "django"
  | "seed-phrase"
  | "kubernetes"
  | "aws"
  | "azure"
  | "slack-webhook"
  | "discord-webhook"
  | "teams-webhook"
  | "zapier-webhook"
  | "heroku"
  | "terraform"
  | "mailchimp"
  | "maxmind"
  | "bot-token"
  | "url-credentials"
  | "npm"
  | "docker"
  | "service-account"
  | "curl"
  | "netrc"
  | "cookie"
  | "authorization"
  | "variable"
  | "password";

/** A secret's place in a text. */
export interface ContextSpan {
  readonly family: ContextFamily;
  readonly from: number;
  /** Behind its last character. */
  readonly to: number;
}

export interface SecretContext {
  readonly family: ContextFamily;
  /**
   * The pattern is tried at each of their places. Those of four ASCII characters or more are written in small letters
   * and found in any; others are found as they are written.
   */
  readonly words: readonly string[];
  /** Sticky. The group `kept` stays in front of what is taken out; the group `before` belongs to it. */
  readonly pattern: RegExp;
  /** The document that describes the place. */
  readonly source: string;
}

/** A quote as it is in text, in JSON, and in JSON inside JSON. */
const QUOTE = String.raw`\\{0,3}["']`;
/** A value up to its quote, however often that is escaped. */
const QUOTED_VALUE = String.raw`(?:[^"\\]|\\(?![\\"]))`;
/** Between a name and its value. */
const IS = String.raw`(?:\\{0,3}["'])?\s{0,4}(?:=>|[:=])\s{0,4}(?:\\{0,3}["'])?`;
/** Expressions that read a value from elsewhere, and redactions: not values. */
export const NO_VALUE = String.raw`(?![[$<{%]|(?:process\.env|import\.meta|os\.environ|env|config|settings|options|secrets|self|this|args|params|req|request|data|user)\b[.?[])`;
/** A value that no one types as a word: letters and a digit. */
const MIXED = String.raw`(?=[A-Za-z_~+/=.-]{0,64}\d)(?=[\d_~+/=.-]{0,64}[A-Za-z])`;
/**
 * A long value of letters alone that no one types as a word: five capitals, five small letters, and two capitals that
 * stand together, which the names in code seldom have. Only in patterns that tell capitals from small letters.
 */
const LETTERS = `(?=(?:[a-z_~+/=.-]{0,9}[A-Z]){5})(?=(?:[A-Z_~+/=.-]{0,9}[a-z]){5})(?=[a-z_~+/=.-]{0,32}(?:[A-Z][a-z_~+/=.-]{1,32}){0,16}[A-Z]{2})`;
/** One character of a password in a sentence: no blank, no quotation mark, no bracket, no stop of Chinese or Japanese. */
const PASSWORD = String.raw`[^\s"'\x60\\()[\]{}<>$,;。，；、！？：「」『』（）«»“”‘’„]`;
/** Not what code, a template or a pattern has where a value could be. */
const NO_CODE = String.raw`${NO_VALUE}(?![^\s"'\x60]{0,256}?(?:\$\{|\$\(|\{\{|\(\?|\[\^?\w-\w))`;
/** The name of a method, which sentences about passwords have: "is SHA256-hashed". */
const NO_METHOD = String.raw`(?!(?:hmac-?)?(?:sha|aes|md|pbkdf|base|argon|utf|rsa)[-_]?\d{1,4}[a-z]{0,2}(?:[-_/][a-z\d]{1,16}){0,3}(?![\w$@!#%&*+=~^-]))`;
const OF_BOTH = String.raw`(?=[^\s"'\x60]{0,64}\d)(?=[^\s"'\x60]{0,64}[A-Za-z])`;
/** Any signs up to the closing quote. */
const BETWEEN_QUOTES = ['"', "'", "\\x60"]
  .map((quote) => String.raw`(?<=${quote})${NO_CODE}${OF_BOTH}[^\s${quote}\\]{6,256}(?=\\{0,3}${quote})`)
  .join("|");
/** Any signs up to the end of the line, or up to the next part of a connection string. No call, no index. */
const TO_END = String.raw`(?<=[=:：][ \t]{0,4})${NO_METHOD}(?![\w.?!]{0,64}[([<{])${NO_CODE}${OF_BOTH}(?:(?:[^\s"'\x60\\,;]|[,;](?![A-Za-z_][\w.]{0,40}[=:(])){5,255}[^\s"'\x60\\,;.)}\]>](?=[ \t]{0,8}(?:\r?\n|\\{1,8}[nr]|$))|(?<==)[^\s"'\x60\\;]{6,256}(?=;))`;
const UNQUOTED = String.raw`${NO_METHOD}(?=${PASSWORD}{0,64}\d)(?=${PASSWORD}{0,64}[A-Za-z])${NO_VALUE}${PASSWORD}{6,256}(?<![.!?])`;
/** A password: a letter and a digit, with any signs where it is clear where it ends. */
export const PASSWORD_VALUE = `(?:${BETWEEN_QUOTES}|${TO_END}|${UNQUOTED})`;
/** More specific rules come first: the first one that matches names the family. */
export const SECRET_CONTEXTS: readonly SecretContext[] = [
  {
    family: "aws",
    words: ["secret_access_key", "secretaccesskey"],
    pattern: new RegExp(`(?<kept>secret_?access_?key${IS})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`, "iy"),
    source: "AWS docs, IAM identifiers",
  },
  {
    family: "aws",
    words: ["session_token", "sessiontoken"],
    pattern: new RegExp(`(?<kept>session_?token${IS})[A-Za-z0-9/+]{100,9999}={0,2}`, "iy"),
    source: "AWS docs, Temporary security credentials",
  },
  {
    family: "azure",
    words: ["accountkey", "sharedaccesskey", "sharedsecretkey"],
    pattern: new RegExp(
      `(?<kept>(?:account|sharedaccess|sharedsecret)key${IS})[A-Za-z0-9+/]{40,120}={0,2}`,
      "iy",
    ),
    source: "Microsoft docs, Azure Storage connection strings",
  },
  {
    family: "azure",
    words: ["sig="],
    pattern: /(?<kept>(?<=[?&;"'])sig=)[\w%+/=-]{40,160}/iy,
    source: "Microsoft docs, Create a service SAS",
  },
  {
    family: "url-credentials",
    words: ["x-amz-signature=", "x-amz-security-token=", "x-goog-signature="],
    pattern: /(?<kept>x-(?:amz|goog)-(?:signature|security-token)=)[\w%+/=-]{40,4096}/iy,
    source: "AWS docs, Authenticating Requests: Using Query Parameters; Google Cloud docs, Signed URLs",
  },
  {
    family: "azure",
    words: ["Q~"],
    // The letters in front of the mark belong to it.
    pattern: /(?<=(?<before>(?<![\w~.-])[\w~.-]{3}\d))Q~[\w~.-]{31,34}/y,
    source: "gitleaks, config/gitleaks.toml",
  },
  {
    family: "slack-webhook",
    words: ["hooks.slack"],
    pattern: /(?<kept>hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/-]{20,256}/iy,
    source: "Slack docs, Incoming webhooks",
  },
  {
    family: "discord-webhook",
    words: ["/api/webhooks/"],
    pattern: /(?<kept>\/api\/webhooks\/\d{15,21}\/)[\w-]{40,128}/iy,
    source: "Discord docs, Webhooks",
  },
  {
    family: "teams-webhook",
    words: [".webhook.office.com/"],
    pattern: /(?<kept>\.webhook\.office\.com\/webhookb2\/)[\w@/-]{60,300}/iy,
    source: "gitleaks, config/gitleaks.toml",
  },
  {
    family: "zapier-webhook",
    words: ["hooks.zapier.com/"],
    pattern: /(?<kept>hooks\.zapier\.com\/hooks\/catch\/)\d{4,12}\/[\w/]{5,64}/iy,
    source: "Zapier docs, Webhooks",
  },
  {
    family: "heroku",
    words: ["heroku"],
    pattern: new RegExp(
      String.raw`(?<kept>heroku[ \w.-]{0,30}?(?:${IS}|\s{1,4}is\s{1,4}))[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}(?![\w-])`,
      "iy",
    ),
    source: "gitleaks, config/gitleaks.toml",
  },
  {
    family: "terraform",
    words: [".atlasv1."],
    pattern: /(?<=(?<before>(?<![A-Za-z0-9])[A-Za-z0-9]{14}))\.atlasv1\.[\w=-]{60,9999}/iy,
    source: "gitleaks, config/gitleaks.toml",
  },
  {
    family: "mailchimp",
    words: ["-us"],
    pattern: /(?<=(?<before>(?<![A-Za-z0-9])[a-f0-9]{32}))-us\d{1,2}(?![A-Za-z0-9])/y,
    source: "gitleaks, config/gitleaks.toml",
  },
  {
    family: "maxmind",
    words: ["_mmk"],
    pattern: /(?<=(?<before>(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}))_mmk(?![A-Za-z0-9])/y,
    source: "gitleaks, config/gitleaks.toml",
  },
  {
    family: "bot-token",
    words: [":AA"],
    pattern: /(?<=(?<![\w-])(?:bot)?(?<before>\d{8,10})):AA[\w-]{33}(?![\w-])/y,
    source: "Telegram docs, Bot API",
  },
  {
    family: "url-credentials",
    words: ["://"],
    pattern: /(?<kept>:\/\/[^\s/:@"'<>\\]{0,128}:)(?!\[redacted|\$\{?\w{1,64}\}?@)[^\s/"'<>\\]{3,256}(?=@)/y,
    source: "RFC 3986, User information",
  },
  {
    family: "npm",
    words: ["_auth", "_password"],
    pattern:
      /(?<kept>(?<!\w)(?:_authToken|_auth|_password)[ \t]{0,4}=[ \t]{0,4}["']?)(?![[$])[^\s"'\\]{8,9999}/y,
    source: "npm docs, npmrc",
  },
  {
    family: "docker",
    words: ['"auth'],
    pattern: /(?<kept>"auth\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}")[A-Za-z0-9+/]{12,9999}={0,2}(?=\\{0,3}")/y,
    source: "Docker docs, docker login",
  },
  {
    family: "service-account",
    words: ["private_key", "client_secret"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<=${QUOTE})(?:private_key(?:_id)?|client_secret)${QUOTE}\s{0,4}:\s{0,4}\\{0,3}")(?!\[redacted)${QUOTED_VALUE}{8,9999}`,
      "y",
    ),
    source: "Google docs, Service account keys",
  },
  {
    family: "curl",
    words: ["curl "],
    pattern:
      /(?<kept>curl [^\n]{0,400}?(?<=\s)(?:-[a-zA-Z]{0,6}u|--user|--proxy-user|-U)[ =]{0,3}["']?[^\s:"'$]{1,128}:)(?![$<{[])(?:(?<=["'][^\s:"'$]{1,128}:)[^"'\\\n]{3,256}(?=["'])|[^\s"'\\]{3,256})/y,
    source: "curl man page, --user",
  },
  {
    family: "curl",
    words: ["sshpass "],
    pattern:
      /(?<kept>sshpass\s{1,4}-p\s{0,4}["']?)(?![$<{[])(?:(?<=["'])[^"'\\\n]{3,256}(?=["'])|[^\s"'\\]{3,256})/y,
    source: "sshpass man page",
  },
  {
    family: "netrc",
    words: ["login"],
    pattern: /(?<kept>login\s{1,9}[^\s"']{1,128}\s{1,9}password\s{1,9})(?![$<{[])[^\s"'\\]{4,256}/y,
    source: "GNU inetutils manual, The .netrc file",
  },
  {
    family: "cookie",
    words: ["cookie"],
    pattern: new RegExp(
      String.raw`(?<kept>cookie${IS}[\w.%-]{1,64}=)${NO_VALUE}(?=[^\s;]{0,64}\d)[\w%.~+/=:|@-]{10,4096}(?:;[ ]?[\w.%-]{1,64}=[\w%.~+/=:|@-]{1,4096}){0,64}`,
      "iy",
    ),
    source: "RFC 6265, HTTP State Management Mechanism",
  },
  {
    family: "cookie",
    words: ["phpsessid=", "jsessionid=", "connect.sid=", "asp.net_sessionid=", "sessionid="],
    pattern:
      /(?<kept>(?:phpsessid|jsessionid|connect\.sid|asp\.net_sessionid|sessionid)=["']?)(?=[^\s;]{0,64}\d)(?![a-f0-9]{8}-[a-f0-9]{4}-)[\w%.~+/:|-]{20,4096}/iy,
    source: "RFC 6265, HTTP State Management Mechanism",
  },
  {
    family: "authorization",
    words: ["authorization"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<!\[redacted: )authorization\W{0,8}[:=]\s{0,4}(?:\\{0,3}["'])?(?:(?:bearer|basic|token|digest|ssws|bot)\s{1,4})?)${NO_VALUE}(?=[A-Za-z_~+/=.-]{0,64}\d)[\w.~+/=-]{16,9999}`,
      "iy",
    ),
    source: "RFC 9110, Authorization",
  },
  {
    family: "authorization",
    words: ["bearer"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<!\w)bearer\s{1,4})${NO_VALUE}(?=[A-Za-z_~+/=.-]{0,64}\d)[\w.~+/=-]{16,9999}`,
      "iy",
    ),
    source: "RFC 6750, Bearer Token Usage",
  },
  {
    family: "authorization",
    words: ["api-key", "api_key", "apikey", "api key"],
    pattern: new RegExp(
      String.raw`(?<kept>api[-_ ]?key(?:${IS}|\s{1,4}is\s{1,4}))${NO_VALUE}(?=[A-Za-z_~+/=.-]{0,64}\d)[\w.~+/=-]{16,9999}`,
      "iy",
    ),
    source: "OpenAPI Specification, Security Scheme Object",
  },
  {
    family: "authorization",
    words: ["-token"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<=(?<![A-Za-z0-9])(?:x-[a-z-]{1,30}|private|job|deploy))-token${IS})${NO_VALUE}${MIXED}[\w.~+/=-]{16,9999}`,
      "iy",
    ),
    source: "GitLab docs, REST API authentication",
  },
  {
    // One key of thirty at 20 characters, and one of three hundred at 32, has no digit. A name before a bracket is code.
    family: "authorization",
    words: ["bearer", "authorization", "api-key", "api_key", "apikey", "_token", "_secret", "-token"],
    pattern: new RegExp(
      String.raw`(?<kept>(?:(?<!\w)(?:[Bb]earer|BEARER)\s{1,4}|(?<!\[redacted: )(?:[Aa]uthorization|AUTHORIZATION)\W{0,8}[:=]\s{0,4}(?:\\{0,3}["'])?(?:\w{3,6}\s{1,4})?|(?:[Aa]pi|API)[-_]?(?:[Kk]ey|KEY)${IS}|[-_](?:[Tt]oken|TOKEN|SECRET)${IS}))${NO_VALUE}${LETTERS}[A-Za-z_~+/=.-]{20,9999}(?![\w([])`,
      "y",
    ),
    source: "RFC 6750, Bearer Token Usage",
  },
  {
    // A variable that says what it holds, as configuration writes it.
    family: "variable",
    words: ["_token", "_secret", "_api_key", "_access_key", "_auth_key", "_pass", "_pwd", "_credentials"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<=(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{1,40})_(?:TOKEN|SECRET|API_KEY|ACCESS_KEY|AUTH_KEY|PASS|PWD|CREDENTIALS)(?:_KEY|_ID)?${IS})${NO_VALUE}${MIXED}[\w.~+/=-]{12,9999}`,
      "y",
    ),
    source: "The Twelve-Factor App, Config",
  },
  {
    // Said to be one, in a file of variables or a sentence; a word without a digit is more often a type or a call.
    family: "password",
    words: ["password", "passwd", "passphrase", "passwort", "kennwort", "wachtwoord"],
    pattern: new RegExp(
      String.raw`(?<kept>(?:password|passwd|passphrase|passwort|kennwort|wachtwoord)(?:${IS}|\s{1,4}is\s{1,4}(?:now\s{1,4})?(?:\\{0,3}["'])?))${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: "Our own wording",
  },
  {
    family: "password",
    words: ["secret"],
    pattern: new RegExp(
      String.raw`(?<kept>secret(?:[_-]?key(?:[_-]?base)?)?(?:${IS}|\s{1,4}is\s{1,4}(?:now\s{1,4})?(?:\\{0,3}["'])?))${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: "Our own wording",
  },
  {
    family: "password",
    words: ["pwd="],
    pattern: new RegExp(String.raw`(?<kept>pwd=(?:\\{0,3}["'])?)(?![/~.\\])${PASSWORD_VALUE}`, "iuy"),
    source: "Microsoft docs, SqlConnection.ConnectionString",
  },
];
