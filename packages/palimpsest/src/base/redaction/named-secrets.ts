/**
 * Secrets beside their name in the formats of settings, commands, documents and queries. A name of a password is
 * enough for a value with a letter and a digit; a name that code uses for much else, such as `token`, needs a value of
 * letters and digits in turn.
 *
 * Every repetition is bounded, so a rule is linear in any text.
 */
import { NO_VALUE, PASSWORD_VALUE, type SecretContext } from "./secret-contexts.ts";

/** Quotes of many languages and of code in text, also three, also escaped. */
const QUOTES = String.raw`(?:\\{0,3}["'\x60]{1,3})`;

/** One character of a key, also in an address. */
const CHARACTER = "A-Za-z_~+/=%.-";
/** A digit, a letter and a digit, in this order: words and versions of words seldom have them. No path, no call. */
const inTurn = (fewest: number): string =>
  String.raw`${NO_VALUE}(?![/~.]|[\w.]{0,64}[([])(?=[${CHARACTER}]{0,40}\d[\d_~+/=%.-]{0,40}[A-Za-z][${CHARACTER}]{0,40}\d)[\d${CHARACTER}]{${fewest},9999}`;

/** Between a name and its value, each as its format has it. A name in brackets before a colon is a link of Markdown. */
const SETTING = String.raw`${QUOTES}?(?:\](?!\s{0,4}[:：]))?\s{0,4}(?:=>|:=|\?=|[:=：])\s{0,4}(?:[|>][-+]?(?:\r?\n|\\{1,8}n)[ \t]{1,20})?${QUOTES}?`;
const EMPHASIS = String.raw`(?:[*_]{1,3}\s{0,2}[:：=]\s{0,3}[*_]{0,3}\x60?|[:：][*_]{1,3}\s{1,4}\x60?)`;
/** The first argument of a call. Names of algorithms are not secrets. */
const CALL = String.raw`\(\s{0,4}${QUOTES}(?!(?:sha|md5|pbkdf|argon|bcrypt|aes)[\w-]{0,16}["'\x60])`;
const ELEMENT = String.raw`>(?:\s{0,9}<!\[CDATA\[)?`;
const PAIR = String.raw`${QUOTES}?(?:\s{0,9},)?(?:\s|\\{1,8}n){1,30}${QUOTES}?value${QUOTES}?\s{0,4}[:=]\s{0,4}${QUOTES}?|${QUOTES},${QUOTES}value${QUOTES}:${QUOTES}`;
/** Also where a terminal's line ends. */
const BLANKS = String.raw`(?:[ \t]{1,3}(?:\r?\n[ \t]{0,8})?|\r?\n[ \t]{0,8})`;
const OPTION = String.raw`(?<=(?<![\w-])--?[\w-]{3,40})${BLANKS}${QUOTES}?`;
const ENVIRONMENT = String.raw`(?<=(?:ENV|ARG|-x|setx|setenv)[ \t]{1,3}\w{3,60})${BLANKS}${QUOTES}?`;
const CELL = String.raw`[*_\x60"]{0,3}[ \t]{0,20}\|[ \t]{0,20}[*_\x60"]{0,3}|</t[dh]>\s{0,9}<t[dh]>`;
const ITEM = String.raw`${QUOTES}\s{0,4},\s{0,4}${QUOTES}`;

const PLAIN = `${SETTING}|${CALL}|${EMPHASIS}|${ELEMENT}|${PAIR}|${OPTION}|${ENVIRONMENT}`;
/** These have other neighbours as well, such as the next of many names. */
const LOOSE = `${CELL}|${ITEM}`;

const PASSWORDS = ["password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "wachtwoord"];
const TOKENS = [
  ...["token", "secret", "credential", "apikey", "api_key", "api-key", "api key"],
  ...["access_key", "access-key", "accesskey", "auth_key", "authkey", "signing_key", "encryption_key"],
  ...["private_key", "private-key", "privatekey", "private key", "presharedkey", "preshared_key"],
];
/** Places in a list of results, which have names of tokens. */
const NO_PAGE = "(?<!(?:next|page|continuation|sync|cursor)[_-]?)";
const FORMATS =
  "our own collection: OAuth 2.0, Web.config, GitHub Flavored Markdown, Kubernetes, Docker, PHP, Go, YAML";

/** Words of labels and messages about passwords, in some languages, which a phrase that is one hardly has. */
const MESSAGE_WORDS = [
  "password passwords passphrase passcode username user login account email string characters a an the this that",
  "your my our new old same current default is are was be been has have had do does did will can cannot must should",
  "not no and or if when of for from with without in on at by to as please enter type set use used forgot reset",
  "change confirm repeat show hide invalid incorrect wrong required missing optional least",
  "der die das ein eine ihr dein bitte ist muss het een uw je la el los su tu una un le les votre de du des sua seu",
  "il di per con para por que et ou",
].flatMap((line) => line.split(" "));
const inAnyCase = (name: string): string =>
  name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
/** One word of a phrase. */
const WORD = String.raw`[^\s"'\x60\\()[\]{}<>$]{1,24}`;
const NO_MESSAGE = String.raw`(?![^"'\x60\\\n]{0,200}?(?<![\p{L}\d])(?:${MESSAGE_WORDS.map(inAnyCase).join("|")})(?![\p{L}\d]))`;
/**
 * A phrase that is a password, between quotes: three words or more of small letters, or two or more of
 * which one has letters and digits.
 */
const PHRASE = String.raw`(?<=["'\x60])${NO_MESSAGE}(?:[a-z][a-z\d]{1,23}(?:[ ][a-z][a-z\d]{1,23}){2,11}|(?=[^"'\x60\\\n]{0,100}?(?:[A-Za-z]\d|\d[A-Za-z]))${WORD}(?:[ ]${WORD}){1,11})(?=\\{0,3}["'\x60])`;

/** A command's option that holds a password, however far behind its name on the line. */
function option(words: readonly string[], name: string, flag: string, source: string): SecretContext {
  return {
    family: "password",
    words,
    pattern: new RegExp(
      String.raw`(?<kept>(?:(?<![\w-])|(?<=\\[nrt]))${name}[ ](?:[^\n|;&]{0,200}?[ ])?${flag}["']?)${PASSWORD_VALUE}`,
      "uy",
    ),
    source,
  };
}

export const NAMED_SECRETS: readonly SecretContext[] = [
  {
    family: "password",
    words: PASSWORDS,
    pattern: new RegExp(
      `(?<kept>(?:${PASSWORDS.join("|")})(?:${PLAIN}))(?![\\w.]{0,64}[([])${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: FORMATS,
  },
  {
    family: "password",
    words: PASSWORDS,
    pattern: new RegExp(
      `(?<kept>(?:${PASSWORDS.map(inAnyCase).join("|")})(?:${PLAIN}|[ \\t]{1,3}(?:(?:is|was|ist|lautet)[ \\t]{1,3})?${QUOTES}))${PHRASE}`,
      "uy",
    ),
    source: "EFF, Dice-Generated Passphrases",
  },
  {
    family: "password",
    words: PASSWORDS,
    pattern: new RegExp(`(?<kept>(?:${PASSWORDS.join("|")})(?:${LOOSE}))${inTurn(8)}`, "iuy"),
    source: FORMATS,
  },
  {
    family: "variable",
    words: TOKENS,
    pattern: new RegExp(
      `(?<kept>${NO_PAGE}(?:${TOKENS.join("|")})(?:${PLAIN}|${LOOSE}))${inTurn(16)}`,
      "iuy",
    ),
    source: FORMATS,
  },
  {
    // The value may stand before the name.
    family: "variable",
    words: ["value"],
    pattern: new RegExp(
      String.raw`(?<kept>value${QUOTES}?\s{0,4}[:=]\s{0,4}${QUOTES}?)${PASSWORD_VALUE}(?=${QUOTES}?(?:\s{0,9},)?\s{0,30}${QUOTES}?(?:name|key)${QUOTES}?\s{0,4}[:=]\s{0,4}${QUOTES}?[\w.-]{0,40}(?:password|passwd|secret|token|api_?key))`,
      "iuy",
    ),
    source: "Amazon ECS docs, Task definition parameters",
  },
  {
    family: "password",
    words: ["identified by", "identified with"],
    pattern: new RegExp(
      String.raw`(?<kept>identified[ ](?:with[ ]\S{1,40}[ ])?(?:by|as)[ ]{1,3}(?:password[ ])?\\{0,3}["'])${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: "MySQL docs, CREATE USER",
  },
  {
    family: "password",
    words: ["password"],
    pattern: new RegExp(String.raw`(?<kept>password\s{1,3}\\{0,3}')${PASSWORD_VALUE}(?=\\{0,3}')`, "iuy"),
    source: "PostgreSQL docs, ALTER ROLE",
  },
  {
    family: "variable",
    words: ["?key=", "&key="],
    pattern: new RegExp(`(?<kept>[?&]key=)${inTurn(20)}`, "uy"),
    source: "Google docs, API keys",
  },
  {
    family: "url-credentials",
    words: [":\\", "%3a%2f%2f"],
    pattern:
      /(?<kept>(?::(?:\\{1,8}\/){2}[^\s/:@"'<>\\]{0,128}:|%3a%2f%2f[^\s/:@"'<>\\&%]{0,128}(?:%3a|:)))(?!\[redacted|\$|%24)[^\s/@"'<>\\&%]{3,256}(?=@|%40)/iy,
    source: "RFC 3986, User information",
  },
  option(
    ["mysql", "mariadb"],
    "(?:mysql|mariadb)[a-z-]{0,12}",
    "-p",
    "MySQL docs, Connecting to the server using command options",
  ),
  option(["login"], "login", `(?:-p|--password)(?:=|${BLANKS})`, "Docker docs, docker login"),
  option(["redis-cli"], "redis-cli", `-a${BLANKS}`, "Redis docs, Redis CLI"),
];
