/**
 * Secrets that only one command or one kind of file has beside such words: an option of `openssl`, a key of PuTTY, a line
 * of `.pgpass`, the words of a wallet.
 *
 * Every repetition is bounded, so a rule is linear in any text.
 */
import { NO_VALUE, PASSWORD_VALUE, type SecretContext } from "./secret-contexts.ts";

const QUOTE = String.raw`\\{0,3}["']`;
const SETTING = String.raw`(?:${QUOTE})?\s{0,4}(?:=>|:=|[:=])\s{0,4}(?:${QUOTE})?`;
/** The end of a line, also as JSON writes it. */
const LINE_END = String.raw`(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)`;
/** Between an option and its value, also where a terminal breaks the line. */
const BLANKS = String.raw`(?:[ \t]{1,3}(?:\r?\n[ \t]{0,8})?|\r?\n[ \t]{0,8})`;
/** In front of `pass` in names of settings that hold a password. */
const PASS_OF =
  "(?:ansible|become|ssh|sudo|db|database|mysql|postgres|pg|redis|root|admin|user|smtp|imap|mail|email|ftp|ldap|proxy|vpn|wifi|store|key|trust)[_-]?";
/** As many words as a wallet is made of, by the lists of BIP-39. */
const WALLET_WORDS = "(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8}(?![a-z])";

export const COMMAND_SECRETS: readonly SecretContext[] = [
  {
    family: "twilio",
    words: ["twilio"],
    pattern:
      /(?<kept>twilio[^\n]{0,100}?(?<![A-Za-z0-9])AC[a-f0-9]{32}(?![A-Za-z0-9])[\\"'\s,:;|]{1,12}(?:[A-Za-z_]{2,20}[\\"'\s:=]{1,8})?)[a-f0-9]{32}(?![A-Za-z0-9])/iy,
    source: "Twilio docs, Request to the REST API",
  },
  {
    family: "ngrok",
    words: ["authtoken"],
    pattern: new RegExp(
      String.raw`(?<kept>authtoken(?:${SETTING}|${BLANKS}))${NO_VALUE}(?=[A-Za-z_]{0,48}\d)[A-Za-z0-9]{20,32}_[A-Za-z0-9]{16,32}(?![A-Za-z0-9])`,
      "iy",
    ),
    source: "ngrok docs, ngrok config add-authtoken",
  },
  {
    family: "private-key",
    words: ["private-lines"],
    pattern: new RegExp(
      String.raw`(?<kept>private-lines:[ \t]{0,4}\d{1,4}${LINE_END})[A-Za-z0-9+/=]{16,128}(?:${LINE_END}(?!private-)[A-Za-z0-9+/=]{1,128}){0,200}`,
      "iy",
    ),
    source: "PuTTY manual, PPK file format",
  },
  {
    // Made by `startproject`, with any signs.
    family: "django",
    words: ["django-insecure-"],
    pattern: /django-insecure-[^\s"'\\]{30,128}/y,
    source: "Django docs, SECRET_KEY",
  },
  {
    family: "seed-phrase",
    words: ["seed phrase", "recovery phrase", "mnemonic"],
    pattern: new RegExp(
      String.raw`(?<kept>(?:seed phrase|recovery phrase|mnemonic(?: phrase)?)(?:[ ]is[ :]{1,3}|${SETTING})["'\x60]?)${WALLET_WORDS}`,
      "y",
    ),
    source: "Bitcoin Improvement Proposal 39",
  },
  {
    family: "password",
    words: [
      "_pass",
      "-pass",
      "storepass",
      "keypass",
      "dbpass",
      "smtppass",
      "sshpass",
      "rootpass",
      "userpass",
    ],
    pattern: new RegExp(
      String.raw`(?<kept>(?:[_-]|store|key|db|smtp|ssh|root|user)?(?<=(?<![A-Za-z0-9])(?:[A-Za-z0-9_-]{0,40}[_-])?${PASS_OF})pass(?:${SETTING}|${BLANKS}))(?![\w.]{0,64}[([])${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: "our own collection: Ansible docs, keytool manual, Lightbend config, msmtp manual",
  },
  {
    // A word that code uses for much else: only between quotes, with a digit, a letter and a digit in turn.
    family: "password",
    words: ["pass:", "pass=", "pass =", "pass'", 'pass"', "pass\\"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<![\w-])pass${QUOTE}?\s{0,4}(?:=>|:=|[:=])\s{0,4}${QUOTE})${NO_VALUE}(?=[\w!#%&*+./:?@^~-]{0,64}\d[\d!#%&*+./:?@^~-]{0,64}[A-Za-z][\w!#%&*+./:?@^~-]{0,64}\d)[\w!#%&*+./:?@^~-]{8,256}(?=${QUOTE})`,
      "y",
    ),
    source: "Nodemailer docs, SMTP transport",
  },
  {
    family: "password",
    words: ["pass:"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<=(?<![\w-])-(?:pass(?:in|out)?|k)[ ]["']?)pass:)${PASSWORD_VALUE}`,
      "uy",
    ),
    source: "OpenSSL manual, openssl-passphrase-options",
  },
  {
    family: "password",
    words: ["psk="],
    pattern: new RegExp(String.raw`(?<kept>(?<!\w)psk=(?:${QUOTE})?)${PASSWORD_VALUE}`, "uy"),
    source: "wpa_supplicant.conf manual",
  },
  {
    family: "password",
    words: ["convertto-securestring"],
    pattern: new RegExp(
      String.raw`(?<kept>convertto-securestring\s{1,4}(?:-string\s{1,4})?(?:${QUOTE})?)${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: "Microsoft docs, ConvertTo-SecureString",
  },
  {
    family: "password",
    words: [":5432:", ":5433:", ":6432:"],
    pattern: new RegExp(
      String.raw`(?<kept>:(?:5432|5433|6432):[\w*-]{1,64}:[\w*.-]{1,64}:)${PASSWORD_VALUE}`,
      "uy",
    ),
    source: "PostgreSQL docs, The Password File",
  },
  {
    family: "password",
    words: ["htpasswd"],
    pattern: new RegExp(
      String.raw`(?<kept>(?<![\w-])htpasswd[ ](?=[^\n]{0,60}?-[A-Za-z]{0,6}b)(?:-[A-Za-z0-9]{1,8}[ ](?:\d{1,2}[ ])?){1,6}(?:[^\s-]\S{0,200}[ ])?[^\s-]\S{0,63}[ ]["']?)${PASSWORD_VALUE}`,
      "uy",
    ),
    source: "Apache HTTP Server docs, htpasswd",
  },
];
