/** Reads the source of a regular expression, which Node has accepted already, into a tree. */
export type PatternNode =
  | { readonly type: "any-of"; readonly options: readonly PatternNode[] }
  | { readonly type: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly type: "character"; readonly source: string }
  | { readonly type: "assertion"; readonly kind: "^" | "$" | "b" | "B" }
  | { readonly type: "group"; readonly index: number; readonly node: PatternNode }
  | {
      readonly type: "look";
      readonly isBehind: boolean;
      readonly isNegative: boolean;
      readonly node: PatternNode;
    }
  | { readonly type: "reference"; readonly group: number | string }
  | {
      readonly type: "repeat";
      readonly node: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
      /** The first group inside, and the one after the last. */
      readonly groups: readonly [number, number];
    };

export interface ParsedPattern {
  readonly node: PatternNode;
  readonly groupCount: number;
  readonly names: ReadonlyMap<string, number>;
}

/** An atom of one character: an escape, a class, or the character itself. */
const CHARACTER =
  /\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})(\??)/y;
const OPENING = /\((?:\?(?:(<?)([=!])|(:)|<([\w$]+)>))?/y;

export function parsePattern(source: string, flags: string): ParsedPattern {
  const names = new Map<string, number>();
  const isUnicode = flags.includes("u");
  let groupCount = 0;
  let at = 0;

  const matched = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(source) ?? undefined;
    if (match !== undefined) at += match[0].length;
    return match;
  };

  const anyOf = (): PatternNode => {
    const options = [sequence()];
    for (; source[at] === "|"; options.push(sequence())) at++;
    return options.length === 1 ? options[0]! : { type: "any-of", options };
  };

  const sequence = (): PatternNode => {
    const nodes: PatternNode[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const firstGroup = groupCount + 1;
      const node = atom();
      const quantifier = matched(QUANTIFIER);
      if (quantifier === undefined) {
        nodes.push(node);
        continue;
      }
      const [, sign, least, comma, most] = quantifier;
      const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
      const open = sign === "?" ? 1 : Infinity;
      const max =
        sign !== undefined ? open : comma === undefined ? min : most === "" ? Infinity : Number(most);
      const isLazy = quantifier[5] === "?";
      nodes.push({ type: "repeat", node, min, max, isLazy, groups: [firstGroup, groupCount + 1] });
    }
    return { type: "sequence", nodes };
  };

  const atom = (): PatternNode => {
    if (source[at] === "(") return bracketed();
    if (source[at] === "^" || source[at] === "$") return { type: "assertion", kind: source[at++] as "^" };
    const reference = matched(/\\(?:([bB])|k<([\w$]+)>|([1-9]\d*))/y);
    if (reference?.[1] !== undefined) return { type: "assertion", kind: reference[1] as "b" };
    if (reference !== undefined) return { type: "reference", group: reference[2] ?? Number(reference[3]) };
    const text = matched(CHARACTER)![0];
    // Without the flag `u`, a character beyond the basic plane is two.
    if (isUnicode || text.length !== 2 || text[0] === "\\" || text[0] === "[")
      return { type: "character", source: text };
    at--;
    return { type: "character", source: text[0]! };
  };

  const bracketed = (): PatternNode => {
    const [, behind, look, plain, name] = matched(OPENING)!;
    const index = look === undefined && plain === undefined ? ++groupCount : 0;
    if (name !== undefined) names.set(name, index);
    const node = anyOf();
    at++;
    if (look !== undefined) return { type: "look", isBehind: behind === "<", isNegative: look === "!", node };
    return index === 0 ? node : { type: "group", index, node };
  };

  const node = anyOf();
  if (at !== source.length) throw new Error(`This regular expression is not understood: ${source}`);
  return { node, groupCount, names };
}
