/**
 * Passwords that people say in a sentence: the name of a password in one of many languages, a verb, and a value with a
 * letter and a digit.
 *
 * Every repetition is bounded, so a rule is linear in any text.
 */
import { PASSWORD_VALUE, type SecretContext } from "./secret-contexts.ts";

const WORDING = "our own wording";
/** Quotation marks of many languages, before a password. */
const OPEN = String.raw`(?:\\{0,3}["'\x60]|[«“‘„「『]\s?)?`;
/** Between two words of a sentence, which may go on with the next line. */
const GAP = String.raw`(?:[ \t]{1,3}(?:\r?\n[ \t]{0,8})?|\r?\n[ \t]{0,8})`;
/** Words between the name and its verb: "the password of the staging server is". */
const BETWEEN = String.raw`(?:${GAP}[^\s.!?:;,=]{1,30}){0,6}?`;

/** A sentence in one language: the names of a password, and the verbs between it and its value. */
function sentence(words: readonly string[], name: string, verb: string): SecretContext {
  return {
    family: "password",
    words,
    pattern: new RegExp(
      `(?<kept>${name}${BETWEEN}(?:${GAP}(?:${verb})${GAP}|[ \\t]{0,3}[:：](?:${GAP})?|=)${OPEN})${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: WORDING,
  };
}

/** The same where words stand without blanks between them. */
function unspaced(words: readonly string[], verb: string): SecretContext {
  return {
    family: "password",
    words,
    pattern: new RegExp(
      `(?<kept>(?:${words.join("|")})[^\\sA-Za-z0-9。！？]{0,12}?(?:${verb}|[:：=])\\s{0,3}${OPEN})${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: WORDING,
  };
}

/** The same where the value follows the name without a verb. */
function following(words: readonly string[], name: string): SecretContext {
  return {
    family: "password",
    words,
    pattern: new RegExp(
      `(?<kept>${name}(?:${GAP}|[ \\t]{0,3}[:：](?:${GAP})?)${OPEN})${PASSWORD_VALUE}`,
      "iuy",
    ),
    source: WORDING,
  };
}

export const SENTENCE_SECRETS: readonly SecretContext[] = [
  sentence(
    ["password", "passphrase", "passcode"],
    "(?:password|passphrase|passcode)",
    "is|was|will be|è|é|to|est|ist|lautet",
  ),
  sentence(
    ["passwort", "kennwort", "zugangscode"],
    "(?:passwort|kennwort|zugangscode)",
    "ist|lautet|heißt|war|wird|wäre",
  ),
  sentence(["contrase", "clave"], "(?:contraseña|contrasena|clave)", "es|será|era"),
  sentence(["mot de passe"], "mot de passe", "est|sera|était|c['’]est"),
  sentence(["parola d", "parola chiave"], "parola (?:d['’]ordine|chiave)", "è|sarà|era"),
  sentence(["senha", "palavra-passe"], "(?:senha|palavra-passe)", "é|será|era"),
  sentence(["wachtwoord"], "wachtwoord", "is|wordt|was"),
  sentence(["парол", "Парол", "ПАРОЛ"], "парол[а-яё]{0,3}", "[—–-]|это|такой|был"),
  unspaced(["密码", "密碼", "口令"], "是|为|為|改成|改为|改為|设为|設為"),
  unspaced(["パスワード", "暗証番号"], "は|を|が"),
  sentence(["비밀번호", "패스워드", "암호"], "(?:비밀번호|패스워드|암호)(?:는|은|가|이)?", "는|은"),
  following(["비밀번호", "패스워드", "암호"], "(?:비밀번호|패스워드|암호)(?:는|은|가|이)"),
  sentence(["ło"], "(?<=(?<!\\p{L})has)ło", "to|jest|brzmi|było|będzie"),
  sentence(["heslo"], "heslo", "je|zní|bylo|bude|znie|bolo"),
  sentence(["ösenord"], "(?<=(?<!\\p{L})l)ösenord(?:et)?", "är|var|blir"),
  sentence(["passord", "adgangskode", "kodeord"], "(?:passord|adgangskode|kodeord)(?:et|n)?", "er|var|blir"),
  sentence(["salasana"], "salasana(?:ni|si|mme)?", "on|oli"),
  // Any word is a "parola" in Italian, so what Italian says of it is left out, and Turkish needs an ending.
  sentence(["parola"], "parola", "este|e"),
  sentence(["κωδικ", "Κωδικ"], "κωδικ[όο]ς?", "είναι|ήταν"),
  sentence(["ật khẩu"], "(?<=(?<!\\p{L})m)ật khẩu", "là"),
  sentence(["kata sandi", "kata laluan"], "kata (?:sandi|laluan)(?:nya)?", "adalah|ialah|yaitu"),
  sentence(["كلمة المرور", "كلمة السر"], "كلمة (?:المرور|السر)", "هي|هو|كانت"),
  sentence(["סיסמ"], "סיסמ[הת]", "היא|הייתה"),
  sentence(["पासवर्ड"], "पासवर्ड", "है|था"),
  unspaced(["รหัสผ่าน"], "คือ|เป็น"),
  following(["şifre", "Şifre"], "şifre(?:s[iı]|m|m[iı]z|n[iı]z)?"),
  following(["parola"], "parola(?:s[iı]|m|m[iı]z|n[iı]z)"),
  following(["رمز عبور"], "رمز عبور"),
];
