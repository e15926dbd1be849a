/**
 * Prompts of terminal programs, by the end of their output.
 *
 * A program that waits leaves its cursor behind the prompt, so most patterns take only a last line without a line
 * break. Some scripts print a question as a line and read then: `line: "any"` takes those as well, unless the line is
 * a log's, a quotation or an item of a list.
 *
 * Weak patterns also fit steps (`Compiling …`): they do not count there, or where the process uses the processor.
 */

interface PromptPattern {
  readonly name: string;
  readonly pattern: RegExp;
  /** @defaultValue `open`: only without a line break behind it */
  readonly line?: "any";
  readonly isWeak?: true;
}

interface FoundPrompt {
  readonly name: string;
  readonly isWeak: boolean;
}

/** Words of a question that asks to go on, by language: English, German, French, Spanish, Portuguese, Italian. */
const CONFIRM = [
  "do you (?:really )?(?:want|wish)|are you sure|would you like|shall i|ok to|continue|proceed|overwrite|replace",
  "(?:möchten|wollen|sind) sie|(?:möchtest|willst|bist) du|fortfahren|fortsetzen|weiter|überschreiben|ersetzen|soll",
  "voulez-vous|souhaitez-vous|êtes-vous|continuer|poursuivre|écraser|remplacer",
  "desea|quiere|está seguro|continuar|proceder|sobre?scri[bv]ir|reemplazar|deseja|quer|tem certeza|vuoi|continuare",
].join("|");
/** Keys that a prompt asks for. */
const ANY_KEY = "any (?:other )?key|a key|(?:control|ctrl)[-+]d|\\[?enter\\]?|return|space(?: ?bar)?";
const PRESS = [
  "(?:drücken|betätigen) sie|drücke?n?|weiter mit|appuyez sur|tapez(?: sur)?",
  "pulse|presione|oprima|pressione|prima|aperte|premere|premi",
].join("|");
const KEY = "taste|eingabe|enter|return|touche|entrée|tecla|intro|tasto|invio";
/** Secrets that a prompt asks for. */
const SECRET = [
  "pass ?(?:word|phrase|code|wort)|kennwort|kennsatz|(?<!\\p{L})(?:pin|otp|puk)(?!\\p{L})",
  "(?:verification|security|one-time|auth\\w*|2fa|mfa) (?:code|token)|access token|api key|secret",
  "mots? de passe|phrase (?:de passe|secrète)|contraseña|clave|frase (?:de paso|de contraseña)|senha",
  "wachtwoord|lösenord|hasło|пароль|パスワード|パスフレーズ|密码|密碼|口令|암호|비밀번호",
].join("|");
/** Words of a request for a value. */
const ENTER = [
  "(?:geben|wählen) sie|(?:ein|an)gabe|eingeben|auswahl|auswählen",
  "entrez|saisissez|saisir|choisissez|choix|introduzca|introduce|ingrese|escriba|seleccione|elija|elige",
  "digite|informe|insira|escolha|inserisci",
].join("|");
/** Names of values that programs ask for. */
const FIELD = [
  "(?:user|host|file|sur|first|last)?name|login|user|e-?mail|mail|address|phone|value|choice|option|selection|number",
  "answer|code|id|key|token|path|port|url|uri|directory|folder|region|zone|area|country|city|origin|version",
  "description|author|licen[cs]e|keywords|repository|point|command|comment|domain|realm|server",
  "(?:benutzer|datei|rechner|vor|nach)name|anmeldung|antwort|wert|nummer|adresse",
  "nom|utilisateur|identifiant|valeur|numéro|réponse",
  "nombre|usuario|valor|número|respuesta|correo|opción|nome|usuário|opção|resposta",
].join("|");

const PATTERNS: readonly PromptPattern[] = [
  {
    name: "yes or no",
    pattern:
      /(?<!\p{L})(?:y(?:es)?|ja?|o(?:ui)?|s(?:[ií]|im)?)[\])>]?\s*(?:[/|,]|or|oder|ou?)\s*[[(<]?n(?:o|ein|on|[ãa]o)?(?!\p{L})(?:.{0,60}[?:：>)\]])?$/iu,
  },
  {
    name: "yes or no",
    line: "any",
    pattern:
      /[?？].{0,20}[[(](?:y(?:es)?|ja?|o(?:ui)?|s(?:[ií]|im)?)[\])]?\s*(?:[/|,]|or|oder|ou?)\s*[[(]?n(?:o|ein|on|[ãa]o)?[^\])]{0,20}[\])][\s:：?>]{0,4}$/iu,
  },
  { name: "choice", pattern: /[[(]\p{L}{1,2}[\])] ?\p{L}*.*[[(]\p{L}{1,2}[\])] ?\p{L}+.*[?:：]$/u },
  {
    name: "question with a default",
    pattern: /\p{L}[^?？]*[?？].{0,60}[[(<][^\])>]{1,60}[\])>] ?[:：?›>]?$/u,
  },
  { name: "question", pattern: /^(?!.*https?:\/\/\S*\?$).*\p{L}.*[?？]["'»”’)]? ?[:：>›]?$/u },
  {
    name: "continue or proceed",
    line: "any",
    pattern: new RegExp(`^\\P{L}{0,4}(?:${CONFIRM})(?!\\p{L})[^?]{0,150}\\?$`, "iu"),
  },
  {
    name: "continue or proceed",
    line: "any",
    pattern:
      /^\P{L}{0,4}\p{Lu}.{1,60} (?:fortfahren|fortsetzen|überschreiben|ersetzen|löschen|entfernen|installieren) ?\?$/iu,
  },
  {
    name: "continue or proceed",
    line: "any",
    pattern: /(?:続行|上書き|よろしい|继续|覆盖|確定|确定).{0,20}[?？]$/u,
  },
  {
    name: "press a key",
    line: "any",
    pattern: new RegExp(
      `(?:^|[.,:;!)(*[-] ?|please |or )(?:press|hit|strike|push) (?:the )?["'<[({]*(?:${ANY_KEY})(?!\\p{L})(?:[^.!]|\\.(?=\\w)){0,100}[.:!…)\\] ]*$`,
      "iu",
    ),
  },
  {
    name: "press a key",
    line: "any",
    pattern: new RegExp(`(?<!\\p{L})(?:${PRESS}) [^.]{0,30}(?:${KEY})(?!\\p{L}).{0,80}$`, "iu"),
  },
  {
    name: "press a key",
    line: "any",
    pattern:
      /(?:taste (?:drücken|betätigen)|(?:enter|return) drücken|キーを押し|按任意键|按回车|按 ?enter|아무 키나).{0,30}$/iu,
  },
  { name: "press a key", pattern: /press [^.]{1,40} for (?:yes|no|help)(?!\p{L}).{0,60}:$/iu },
  {
    name: "password",
    line: "any",
    pattern:
      /^(?:(?:Enter|Retype|Type|Repeat|Confirm|New|Current|Old|Your|Please|Verify)(?: [\w-]+){0,4} pass(?:word|phrase)|Pass(?:word|phrase))(?: (?:for|again)\b[^:]{0,60})?:$/,
  },
  { name: "password", isWeak: true, pattern: new RegExp(`(?:${SECRET}).{0,120}[:：]$`, "iu") },
  {
    name: "enter a value",
    pattern:
      /(?:^|[\s([*>-])(?:enter|type|provide|specify|choose|select|pick|paste|give)(?= )[^:]{1,150}(?::[^:]{0,60})?[:：>]$/iu,
  },
  {
    name: "enter a value",
    pattern: new RegExp(`(?<!\\p{L})(?:${ENTER})(?!\\p{L})[^:]{0,120} ?[:：>]$`, "iu"),
  },
  { name: "enter a value", pattern: /(?:入力|選択|输入|輸入|选择|입력|선택)[^:：]{0,60}[:：>]$/u },
  {
    name: "enter a value",
    line: "any",
    pattern: /(?<!\p{L})(?:paste|enter|type)(?!\p{L}).{1,120} (?:below|here)[:.…]*$/iu,
  },
  {
    name: "field",
    isWeak: true,
    pattern: new RegExp(
      `^\\P{L}{0,6}(?:[\\p{L}\\d'’.()/-]+ ){0,6}(?:[dln]['’])?(?:${FIELD})(?: ?[[(][^\\])]{0,60}[\\])]| for .{1,100})? ?[:：]$`,
      "iu",
    ),
  },
  {
    name: "field",
    isWeak: true,
    pattern: /^.{0,30}(?:ユーザー名|名前|用户名|姓名|使用者|사용자|이름)[^:：]{0,20}[:：]$/u,
  },
  {
    name: "field with a default",
    isWeak: true,
    pattern:
      /^(?!.*\d ?\/ ?\d)(?!.*\d ?(?:%|[kMG]i?B)).*(?:\S ?|^\s*(?=\[(?:[a-z]|[A-Z][a-z])))[[(][^\])]{0,80}[\])] ?[:：]$/u,
  },
  { name: "field with a default", isWeak: true, pattern: /^\p{L}[\p{L} ._-]{0,40}: \([^)]*\)$/u },
  { name: "form", pattern: /^\s*[?◆❓] +\S/u },
  { name: "pager", pattern: /^(?:.{0,60} )?-+ ?(?:more|suite|mehr|más|weiter) ?-+(?: ?[[(].*)?$/iu },
  {
    name: "pager",
    pattern:
      /\(END\)$|\[More\]$|^-- [A-Z ]{4,20} --|(?:^|\s)lines \d+-\d+(?:\/\d+)?(?: \(END\)| \d+%| byte .*)?$/,
  },
  {
    name: "pager",
    pattern:
      /^Manual page .* line \d+|^Standard input(?: |$)|\(press (?:RETURN|.*\bq to quit)\)$|^Press q(?: |$)/,
  },
  { name: "pager", isWeak: true, pattern: /^ *:$/ },
  {
    name: "interpreter",
    isWeak: true,
    pattern: /^\s*(?:>{1,3}|\.{3}>|In \[\d+\]:|\?-|\d+ \?-|=>|\|:|DB<+\d+>+|\(%i\d+\)) *$/,
  },
  {
    name: "interpreter",
    isWeak: true,
    pattern: /^\((?:[a-z]*gdb|lldb|[iI]?[pP]db(?:\+\+)?|parted|byebug|rdb:\d+|dlv|node|cmd)\)$/,
  },
  { name: "interpreter", isWeak: true, pattern: /^\p{L}+(?: \p{L}+){0,3} ?>$/u },
  { name: "interpreter", isWeak: true, pattern: /^[\w.-]+(?:[=*!^('"$-]|=\*)[#>]$/ },
  {
    name: "interpreter",
    isWeak: true,
    pattern: /^(?:\[\d+\] )?[\w.*:@λ/~\\+-]+(?: ?[([{][^<>]{0,40}[)\]}])?(?::\d+){0,3} ?>{1,3}$/,
  },
  {
    name: "interpreter",
    isWeak: true,
    pattern: /^(?:utop|virsh|grub|ocaml)? ?(?:#|\[[\w.: @~/-]+\](?:#| ?>{1,3}))$/,
  },
  { name: "interpreter", isWeak: true, pattern: /^ *\[[\w:. -]+\((?:CONNECTED|CONNECTING|CLOSED)\) \d+\]$/ },
  { name: "shell", isWeak: true, pattern: /^ *(?:\([\w.-]+\) )?[$#%❯λ➜»]$/ },
  { name: "shell", isWeak: true, pattern: /^(?:[~/][^<>|]{0,100} |[\w.-]+:[~/]\S* [\w.-]+)[$#%❯λ➜»]$/ },
  { name: "shell", isWeak: true, pattern: /^(?:\([\w.-]+\) )?\[?[\w.-]+@[\w.-]+[: ][^<>|]{0,80}[$#%>❯]$/ },
  {
    name: "shell",
    isWeak: true,
    pattern:
      /^(?:\([\w.-]+\) )?(?:(?:ba|z|k|da)?sh-[\d.]+[$#]|(?:PS )?[A-Z]:\\[^<>|]{0,120}>|PS [^<>]{1,80}>)$/,
  },
];

/** An input of Python, R or MySQL that goes on in the next line. */
const CONTINUED = /(?:^|\n)(?:>>> [^\n]*\n(?:\.\.\. [^\n]*\n){0,50}\.\.\.|> [^\n]*\n\+|\S+> [^\n]*\n +->) *$/;
/** Lines of a list of options: the pointed one, and others below it. */
const POINTED = /^[\s│┃]*(?:[❯▸➤›●◉◼]|> )/;
const OPTION = /^\s*[○◯◻☐│└●◉◼-]|^\s{2,}\S|^\s*$/;

/** Starts of a line of a log. */
const LOG =
  /^\s*[[(]?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|(?:info|warn(?:ing)?|error|debug|trace|notice|fatal)\b)/i;
/** Quotations, items of lists, comments and changes. */
const QUOTED = /^\s*(?:[>+|#*;›•-]|\/\/|\d+[:|.])\s|^\s*[+-]|["'`]$/;
/** Starts of a line that names a step. */
const STEP =
  /^\P{L}*(?:\p{L}{2,}ing|total|current|elapsed|progress|eta|speed|status|result|results|output|time|done|step|test|error|warning|note)(?!\p{L})/iu;
/** A longer line is not a prompt. */
const LINE_CHARS = 400;

/** Finds the prompt that plain text ends in; strong if one of several patterns is. */
export function findPrompt(text: string): FoundPrompt | undefined {
  const shown = text.trimEnd();
  if (shown === "") return undefined;
  if (CONTINUED.test(text)) return { name: "interpreter", isWeak: true };
  const lines = shown.split("\n");
  const line = lines.at(-1)!.trimEnd();
  if (line.length > LINE_CHARS) return undefined;
  if (isOptionList(lines)) return { name: "form", isWeak: false };
  const isOpen = !text.slice(shown.length).includes("\n");
  if (!isOpen && (LOG.test(line) || QUOTED.test(line))) return undefined;
  const isStep = /[:：)\]]$/.test(line) && STEP.test(line);
  const found = PATTERNS.filter(
    (row) => (isOpen || row.line === "any") && !(isStep && row.isWeak) && row.pattern.test(line),
  );
  const [first] = found;
  return first && { name: first.name, isWeak: found.every(({ isWeak }) => isWeak === true) };
}

/** True for a question of a form with a list of options, one of them pointed at. */
function isOptionList(lines: readonly string[]): boolean {
  const question = lines.findLastIndex((line) => /^\s*[?◆] |[[(]use (?:the )?arrow/i.test(line));
  if (question === -1 || question === lines.length - 1) return false;
  const options = lines.slice(question + 1);
  return (
    options.some((line) => POINTED.test(line)) &&
    options.every((line) => POINTED.test(line) || OPTION.test(line))
  );
}
