/**
 * Values of Kubernetes resources of the kind `Secret`, in YAML and in JSON: each is a secret, whatever its key is called.
 * The kind may follow its data, so a resource is gone through to its end before anything is judged.
 *
 * A line is looked at once, and a long one is not looked at: linear in any text.
 */
import type { ContextSpan } from "./secret-contexts.ts";
import { textLines } from "./text-lines.ts";

/** Blanks in front of a line, perhaps with its number, and a name in front of a colon. */
const FIELD =
  /^(?:[>|+][ ]?)?(?:[ \t]{0,6}\d{1,6}(?:\t|→|[ ]?\|[ ]?))?([ \t]{0,40})(?:-[ ])?(?:\\{0,3}["'])?([\w.-]{1,253})(?:\\{0,3}["'])?:[ \t]{0,4}/;
/** An object of code, whose names have no quotes. */
const OF_CODE = /^[ \t]{0,40}(?:data|stringData):[ \t]{0,4}\{/;
const VALUE = /(?:\\{0,3}["'])?([^\s"'\\,{}[\]|><$%][^\s"'\\]{3,})/y;

/** The resource that the lines so far belong to. */
interface Resource {
  isVersioned: boolean;
  kind: string | undefined;
  /** Blanks in front of its data, where the lines are in it. */
  dataIndent: number | undefined;
  readonly values: ContextSpan[];
}

const newResource = (): Resource => ({
  ...{ isVersioned: false, kind: undefined, dataIndent: undefined },
  values: [],
});

/** The values of every resource of the kind `Secret`. */
export function* findInKubernetes(text: string): Iterable<ContextSpan> {
  if (!IS_SECRET.test(text)) return;
  let resource = newResource();
  for (const { text: line, from } of textLines(text)) {
    const field = FIELD.exec(line);
    const isNext = line.startsWith("---") || (field?.[2] === "apiVersion" && resource.isVersioned);
    if (isNext) {
      yield* secretsOf(resource);
      resource = newResource();
    }
    // Words may introduce the resource on its first line.
    if (IS_SECRET.test(line)) resource.kind ??= "Secret";
    else if (field !== null) addField(resource, field, { line, from });
  }
  yield* secretsOf(resource);
}

/** Not in the middle of a sentence. */
const IS_SECRET =
  /kind(?:\\{0,3}["'])?:[ \t]{0,4}(?:\\{0,3}["'])?Secret(?=\\{0,3}["'][ \t]{0,4}[,}]|[ \t"']{0,8}(?:[\r\n\\#]|$))/;

const secretsOf = ({ kind, values }: Resource): readonly ContextSpan[] => (kind === "Secret" ? values : []);

/** Changes the resource. */
function addField(
  resource: Resource,
  { 0: all, 1: blanks, 2: name }: RegExpExecArray,
  { line, from }: { readonly line: string; readonly from: number },
): void {
  const indent = blanks!.length;
  if (resource.dataIndent !== undefined && indent <= resource.dataIndent) resource.dataIndent = undefined;
  VALUE.lastIndex = all.length;
  const value = VALUE.exec(line)?.[1];
  if (resource.dataIndent !== undefined) {
    // In JSON a quote stands before the comma; without one it is code.
    if (value === undefined || value.endsWith(",")) return;
    const at = from + line.indexOf(value, all.length);
    resource.values.push({ family: "kubernetes", from: at, to: at + value.length });
  } else if (name === "apiVersion") resource.isVersioned = true;
  else if (name === "kind") resource.kind ??= value;
  else if ((name === "data" || name === "stringData") && !OF_CODE.test(line)) resource.dataIndent = indent;
}
