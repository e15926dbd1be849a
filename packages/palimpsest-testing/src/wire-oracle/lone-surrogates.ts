/**
 * Finds halves of surrogate pairs anywhere in a request.
 *
 * Such a string cannot be written as UTF-8: providers refuse the whole body, and every later body
 * that repeats it. The walk keeps its own stack, because a request may be nested deeper than the
 * engine's call stack allows.
 */
import { isRecord } from "./violation.ts";

/** A provider's form of a path: `messages.0.content` or `messages[0].content`. @internal */
type PathStyle = "dots" | "brackets";

interface Place {
  readonly value: unknown;
  readonly parent: Place | undefined;
  readonly key: string | number;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reports every string, and every field name, that holds half of a surrogate pair. @internal */
export function judgeSurrogates(
  body: unknown,
  style: PathStyle,
  judge: { report(rule: "lone-surrogate", path: string, message: string): void },
): void {
  const open: Place[] = [];
  const visit = (value: unknown, parent: Place | undefined, key: string | number): void => {
    if (typeof value === "string") {
      if (LONE_SURROGATE.test(value)) complain({ value, parent, key });
    } else if (typeof value === "object" && value !== null) open.push({ value, parent, key });
  };
  const complain = (place: Place): void => judge.report("lone-surrogate", pathOf(place, style), COMPLAINT);

  visit(body, undefined, "");
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) visit(value[index], place, index);
    } else if (isRecord(value)) {
      for (const key of Object.keys(value)) {
        if (LONE_SURROGATE.test(key)) complain({ value: undefined, parent: place, key });
        visit(value[key], place, key);
      }
    }
  }
}

const COMPLAINT = "The request body is not valid JSON: no low surrogate in string";

function pathOf(place: Place, style: PathStyle): string {
  const keys: (string | number)[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) keys.push(at.key);
  if (keys.length === 0) return "body";
  return keys
    .reverse()
    .map((key, index) =>
      typeof key === "number" && style === "brackets" ? `[${key}]` : index === 0 ? key : `.${key}`,
    )
    .join("");
}
