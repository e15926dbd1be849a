/** Values from outside: settings, answers of servers, errors. */

export type Fields = Readonly<Record<string, unknown>>;

/** True for objects that are neither lists nor `null`. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of a value; none if it is not an object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The texts of a list; everything else in it is left out. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** A text that is not empty, or nothing. */
export function textOr(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the platform or of the library. */
export function codeOf(error: unknown): string | undefined {
  return textOr(
    fieldsOf(error instanceof Error ? { ...error, code: (error as { code?: unknown }).code } : {})["code"],
  );
}

/** The text in at most `characters`: its beginning and its end, never half a character. */
export function headAndTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.floor(characters / 2);
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/u, "");
  const tail = text.slice(-half).replace(/^[\uDC00-\uDFFF]/u, "");
  return `${head}\n\n[${text.length - head.length - tail.length} characters left out]\n\n${tail}`;
}

/** True if nothing of a session can be read that a list shows: a full disk or a crash may leave an empty log. */
export function isLost({
  header,
  firstPrompt,
  metadata,
}: {
  readonly header?: object;
  readonly firstPrompt?: string;
  readonly metadata: object;
}): boolean {
  return header === undefined && firstPrompt === undefined && Object.keys(metadata).length === 0;
}
