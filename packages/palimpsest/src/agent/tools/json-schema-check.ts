/**
 * Checks a value against the part of JSON Schema that tools are described with: `type`, `const`, `enum`, `anyOf`,
 * `oneOf`, `required`, `properties`, `additionalProperties` and `items`. Other keywords are not checked.
 */
import { isObject } from "../../base/json/json.ts";
import { nearestName } from "../../base/options/check-options.ts";
import { shorten } from "../../base/text/text.ts";
import { sayWhat } from "../../session/input/validate-messages.ts";

/** Problems that are reported at the most. Our choice: a model that corrects these sends something else anyway. */
const PROBLEMS_MAX = 10;
/** Characters of an expected value that is spelled out. Our choice. */
const EXPECTED_CHARS = 200;

type Schema = Readonly<Record<string, unknown>>;

/** Returns what does not fit, a sentence each; none if the value fits. */
export function findMisfits(value: unknown, schema: Schema): readonly string[] {
  const problems: string[] = [];
  check(value, schema, { path: "", problems });
  return problems;
}

interface Place {
  readonly path: string;
  readonly problems: string[];
}

function check(value: unknown, schema: unknown, place: Place): void {
  if (place.problems.length >= PROBLEMS_MAX || !isObject(schema)) return;
  const choices = schema["anyOf"] ?? schema["oneOf"];
  const fits =
    !isOutside(value, schema) &&
    (!Array.isArray(choices) || choices.some((one) => isObject(one) && findMisfits(value, one).length === 0));
  if (!fits)
    place.problems.push(`${place.path || "The input"} is ${sayWhat(value)}; ${sayExpected(schema)}.`);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      check(item, schema["items"], { ...place, path: `${place.path}[${index}]` });
  else if (isObject(value)) checkMembers(value, schema, place);
}

function checkMembers(value: Schema, schema: Schema, { path, problems }: Place): void {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of required)
    if (!Object.hasOwn(value, String(name)) || value[String(name)] === undefined)
      problems.push(`${at(String(name))} is missing; ${sayExpected(properties[String(name)])}.`);
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (Object.hasOwn(properties, name)) check(member, properties[name], { path: at(name), problems });
    else if (schema["additionalProperties"] === false)
      problems.push(`${at(shorten(name, EXPECTED_CHARS))} is not known.${didYouMean(name, properties)}`);
    else check(member, schema["additionalProperties"], { path: at(name), problems });
  }
}

/** True if the value has another type than the schema's, or is none of its values. */
function isOutside(value: unknown, schema: Schema): boolean {
  const { type, enum: values } = schema;
  if (typeof type === "string" && !isOfType(value, type)) return true;
  if (Array.isArray(type) && !type.some((one) => isOfType(value, one))) return true;
  if (Array.isArray(values) && !values.some((one) => isEqual(one, value))) return true;
  return Object.hasOwn(schema, "const") && !isEqual(schema["const"], value);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));

/** Spells out a schema: `it must be of type "string"`. */
function sayExpected(schema: unknown): string {
  if (!isObject(schema)) return "it must be there";
  const { type, enum: values, const: value } = schema;
  if (value !== undefined) return `it must be ${spell(value)}`;
  if (Array.isArray(values)) return `it must be one of ${values.map(spell).join(", ")}`;
  if (typeof type === "string") return `it must be of type ${spell(type)}`;
  if (Array.isArray(type)) return `it must be of one of the types ${type.map(spell).join(", ")}`;
  return `it must fit ${spell(schema)}`;
}

const spell = (value: unknown): string => shorten(JSON.stringify(value), EXPECTED_CHARS);

function didYouMean(name: string, properties: Schema): string {
  const nearest = nearestName(name, Object.keys(properties));
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}
