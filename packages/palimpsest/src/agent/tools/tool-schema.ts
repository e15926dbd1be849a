/**
 * The schema of a tool's input: the type that it gives, JSON Schema for the model, and the check of what the model sends.
 *
 * A schema comes from a library with the interface of Standard Schema, such as Zod, Valibot and ArkType, or is JSON
 * Schema itself. Libraries are known by that interface only and are never imported.
 */
import { errorMessage, OptionError } from "../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { validateJson } from "../../session/input/copy-input.ts";
import { findMisfits } from "./json-schema-check.ts";

/** Result of a check by a library of schemas. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema with the interface of Standard Schema, version 1 (https://standardschema.dev). */
interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** JSON Schema of an object, as far as types and checks use it. Other keywords are only for the model. */
interface ObjectSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: unknown;
}

/** A schema of the input of a tool. */
export type ToolSchema = StandardSchema | ObjectSchema;

/** The input that a tool with this schema gets. */
export type InputOf<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : Schema extends { readonly type: "object" }
    ? FromObject<Schema>
    : JsonObject;

/** The type of values that fit a JSON Schema written as a literal. */
type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] }
      ? FromJsonSchema<Choice>
      : Schema extends { readonly oneOf: readonly (infer Choice)[] }
        ? FromJsonSchema<Choice>
        : Schema extends { readonly type: infer Type }
          ? OfType<Type extends readonly (infer One)[] ? One : Type, Schema>
          : JsonValue;

type OfType<Type, Schema> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? Schema extends { readonly items: infer Items }
            ? FromJsonSchema<Items>[]
            : JsonValue[]
          : Type extends "object"
            ? FromObject<Schema>
            : JsonValue;

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Name in keyof Properties as Name extends RequiredOf<Schema>
          ? Name
          : never]: FromJsonSchema<Properties[Name]>;
      } & {
        -readonly [Name in keyof Properties as Name extends RequiredOf<Schema>
          ? never
          : Name]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : JsonObject;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** A checked input, or its problems in words for the model. */
export type CheckedInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A schema as a tool uses it. */
interface ReadSchema {
  /** For the model. */
  readonly jsonSchema: JsonObject;
  readonly check: (input: unknown) => Promise<CheckedInput>;
}

/**
 * Reads the schema of a tool. `jsonSchema` is for the model where the library of the schema writes none.
 * @throws `OptionError` where there is no JSON Schema, or it is not that of an object
 */
export function readSchema(
  { input, jsonSchema }: { readonly input: unknown; readonly jsonSchema?: unknown },
  place: string,
): ReadSchema {
  const standard = standardOf(input);
  if (standard === undefined && !isObject(input))
    throw new OptionError({
      message: `${place} has an \`input\` that is not a schema.`,
      hint: 'Pass a schema of Zod, Valibot, ArkType or another library with Standard Schema, or JSON Schema: { type: "object", properties: { … } }.',
    });
  const written = jsonSchema ?? (standard === undefined ? input : writtenBy(standard, place));
  const { $schema: _, ...schema } = validateJson(written, `${place}: the JSON Schema`) as JsonObject;
  if (schema["type"] !== "object")
    throw new OptionError({
      message: `${place} has a schema whose \`type\` is not "object"; providers take no other input.`,
      hint: "Make the input an object with one member, such as { value: … }.",
    });
  return {
    jsonSchema: schema,
    check: async (value) => {
      if (standard !== undefined) return checkBy(standard, value);
      const problems = findMisfits(value, schema);
      return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
    },
  };
}

type Standard = StandardSchema["~standard"] & {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
};

function standardOf(schema: unknown): Standard | undefined {
  // Schemas of ArkType are functions.
  if (!isObject(schema) && typeof schema !== "function") return undefined;
  const standard = (schema as Partial<StandardSchema>)["~standard"];
  return typeof standard?.validate === "function" ? standard : undefined;
}

/** By library: what writes JSON Schema where the schema itself does not. */
const WRITERS: ReadonlyMap<string, string> = new Map([
  ["zod", "z.toJSONSchema(schema)"],
  ["valibot", "toJsonSchema(schema), of @valibot/to-json-schema"],
]);

function writtenBy({ vendor, jsonSchema }: Standard, place: string): unknown {
  const pass = `Pass it beside the schema: tool({ …, jsonSchema: ${WRITERS.get(vendor) ?? '{ type: "object", … }'} }).`;
  if (jsonSchema?.input === undefined)
    throw new OptionError({
      message: `${place} has a schema of ${vendor}, which has no JSON Schema for the model.`,
      hint: pass,
    });
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const message = `${place} has a schema without JSON Schema for the model: ${errorMessage(cause)}`;
    throw new OptionError({ message, hint: pass, cause });
  }
}

async function checkBy({ validate }: Standard, input: unknown): Promise<CheckedInput> {
  const result = await validate(input);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, problems: result.issues.map(sayIssue) };
}

function sayIssue({ message, path = [] }: StandardIssue): string {
  const names = path.map((step) => String(typeof step === "object" ? step.key : step));
  return names.length === 0 ? message : `${names.join(".")}: ${message}`;
}
