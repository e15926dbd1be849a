/**
 * The calls of tools within a script, for tools that run one: `exec` of Codex takes JavaScript such as
 * `const r = await tools.exec_command({ cmd: "sed -n '1,80p' a.ts" }); text(r.output);`.
 *
 * Nothing is evaluated. Arguments are read where they are literals, strings joined by `+`, or the name of such a string
 * that the script defines. Any other expression is unknown: a part of it must not be taken for the whole.
 */
import type { JsonValue } from "../../base/json/json.ts";

/** One call of a tool within a script. */
interface ScriptedCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** Longer scripts are not read, so that one is read in a few milliseconds. Our choice: the longest of 2,181 recorded ones has 41,000. */
const MAX_CHARACTERS = 100_000;
const MAX_DEPTH = 8;
const PATCH = /^\s*\*\*\*/;
const MENTION = /\btools\s*\.\s*\w+\s*\(/;

/** Returns the calls in a script in their order; none where the text is not a script. */
export function scriptedCalls(text: string): readonly ScriptedCall[] {
  if (text.length > MAX_CHARACTERS || PATCH.test(text) || !MENTION.test(text)) return [];
  const reader = new ScriptReader(text);
  return reader.calls();
}

const TOKEN = /["'`/]|\b(?:const|let|var|tools|String)\b/g;
const DEFINITION = /\b(?:const|let|var)\s+([\w$]+)\s*=\s*/y;
const CALL = /\btools\s*\.\s*([\w$]+)\s*\(\s*/y;
const WORD = /[\w$]+/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const SPACE = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y;
const CODE_POINT = /\{0{0,4}([\da-f]{1,5})\}/iy;
/** A sign behind a string by which it is a part of an expression. */
const GOES_ON = /[.[(`?|&]/;
const NUMBER = /-?\d[\d_]{0,20}(?:\.\d{1,20})?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  0: "\0",
};
const CONSTANTS: Readonly<Record<string, JsonValue>> = {
  true: true,
  false: false,
  null: null,
  undefined: null,
};

class ScriptReader {
  readonly #text: string;
  readonly #named = new Map<string, string>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  calls(): readonly ScriptedCall[] {
    const found: ScriptedCall[] = [];
    while (this.#findToken()) {
      const call = this.#match(CALL);
      if (call !== undefined) {
        const start = this.#at;
        const input = this.#argument();
        // An argument that is not a literal is looked through for calls.
        if (input === undefined) this.#at = start;
        found.push({ name: call[1]!, input: input ?? {} });
      } else this.#skip();
    }
    return found;
  }

  /** Goes to the next place where a call, a definition, a string or a comment may begin; false at the end. */
  #findToken(): boolean {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found !== null) this.#at = found.index;
    return found !== null;
  }

  /** Passes one token, so that what strings and comments say is not read as code. */
  #skip(): void {
    const definition = this.#match(DEFINITION);
    if (definition !== undefined) {
      this.#define(definition[1]!);
      return;
    }
    if (this.#match(COMMENT) !== undefined) return;
    const start = this.#at;
    if (this.#string() === undefined) this.#at = Math.max(start + 1, this.#at);
  }

  /** Keeps the string that a name is given here; the name's last one counts for the calls below. */
  #define(name: string): void {
    const start = this.#at;
    const text = this.#joined();
    if (text === undefined) this.#at = start;
    if (text === undefined || GOES_ON.test(this.#text[this.#at] ?? "")) this.#named.delete(name);
    else this.#named.set(name, text);
  }

  /** The first argument of a call; `undefined` where it is not one literal. */
  #argument(): JsonValue | undefined {
    const value = this.#value(0);
    this.#match(SPACE);
    const sign = this.#text[this.#at];
    return sign === ")" || sign === "," ? value : undefined;
  }

  /** The literal here; `undefined` where it is not one. */
  #value(depth: number): JsonValue | undefined {
    this.#match(SPACE);
    const sign = this.#text[this.#at];
    if (sign === "{" || sign === "[") return depth > MAX_DEPTH ? undefined : this.#list(sign, depth);
    const text = this.#joined();
    if (text !== undefined) return text;
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number[0].replaceAll("_", ""));
    const word = this.#match(WORD)?.[0];
    if (word === undefined) return undefined;
    return Object.hasOwn(CONSTANTS, word) ? CONSTANTS[word] : this.#named.get(word);
  }

  #list(opening: "{" | "[", depth: number): JsonValue | undefined {
    const closing = opening === "{" ? "}" : "]";
    const members: [string, JsonValue][] = [];
    this.#at++;
    for (;;) {
      this.#match(SPACE);
      if (this.#takes(closing))
        return opening === "{" ? Object.fromEntries(members) : members.map(([, value]) => value);
      const key = opening === "{" ? this.#key() : String(members.length);
      if (key === undefined) return undefined;
      const value = this.#isShorthand(opening) ? this.#named.get(key) : this.#value(depth + 1);
      if (value === undefined) return undefined;
      members.push([key, value]);
      this.#match(SPACE);
      if (!this.#takes(",") && this.#text[this.#at] !== closing) return undefined;
    }
  }

  #key(): string | undefined {
    return this.#string() ?? this.#match(WORD)?.[0];
  }

  /** True for `{ cmd }`, which is `{ cmd: cmd }`. */
  #isShorthand(opening: "{" | "["): boolean {
    if (opening === "[") return false;
    this.#match(SPACE);
    return !this.#takes(":");
  }

  #takes(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  /** The strings here that `+` joins, as one; `undefined` where something else is joined to them. */
  #joined(): string | undefined {
    const parts: string[] = [];
    do {
      this.#match(SPACE);
      const part = this.#string();
      if (part === undefined) return undefined;
      parts.push(part);
      this.#match(SPACE);
    } while (this.#takes("+"));
    return parts.join("");
  }

  /** The string here; `undefined` where there is none, or one that holds an expression. */
  #string(): string | undefined {
    const isRaw = this.#text.startsWith("String.raw`", this.#at);
    if (isRaw) this.#at += "String.raw".length;
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
    this.#at++;
    const parts: string[] = [];
    let isWhole = true;
    for (let start = this.#at; this.#at < this.#text.length; ) {
      const sign = this.#text[this.#at]!;
      if (sign === quote) {
        parts.push(this.#text.slice(start, this.#at++));
        return isWhole ? parts.join("") : undefined;
      }
      if (quote === "`" && sign === "$" && this.#text[this.#at + 1] === "{") isWhole = false;
      if (sign !== "\\") this.#at++;
      else if (isRaw) this.#at += 2;
      else {
        parts.push(this.#text.slice(start, this.#at), this.#escape());
        start = this.#at;
      }
    }
    return undefined;
  }

  /** The character that an escape names. */
  #escape(): string {
    const sign = this.#text[this.#at + 1] ?? "";
    this.#at += 2;
    const point = sign === "u" ? this.#match(CODE_POINT) : undefined;
    if (point !== undefined) return String.fromCodePoint(Number.parseInt(point[1]!, 16));
    const digits = sign === "u" ? 4 : sign === "x" ? 2 : 0;
    const code = this.#text.slice(this.#at, this.#at + digits);
    if (digits > 0 && /^[\da-f]+$/i.test(code) && code.length === digits) {
      this.#at += digits;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    return sign === "\n" ? "" : (ESCAPES[sign] ?? sign);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}
