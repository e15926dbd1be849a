/**
 * The common part of reading requests: a body is a JSON object or refused, and the fields that our requests have
 * no place for are parameters.
 */
import { ModelError } from "../../base/errors.ts";
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import { extraFields } from "./openai-fields.ts";

/** A request as a server gets it. @internal */
export interface ReadRequest {
  /** What it asks for, in our own words. */
  readonly request: ModelRequest;
  /** True if the answer is to be streamed. */
  readonly isStreaming: boolean;
  /** Indexes of messages or items that are none; a provider would refuse the request. */
  readonly unreadable: readonly number[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The body of a request, as JSON text or parsed. @throws ModelError where it is not an object. @internal */
export function requestBody(body: unknown): Fields {
  const parsed = typeof body === "string" ? parseBounded(body) : { ok: true as const, value: body };
  if (parsed.ok && isObject(parsed.value)) return parsed.value;
  throw new ModelError(
    { kind: "invalid-request", status: 400 },
    {
      message: `The request body is not a JSON object${parsed.ok ? "" : `: ${parsed.reason}`}.`,
      hint: "Send one JSON object, encoded as UTF-8.",
    },
  );
}

/** Model, tools and parameters of a request; `known` fields are read elsewhere. @internal */
export function commonFields(
  body: Fields,
  known: readonly string[],
): Pick<ModelRequest, "model" | "tools" | "parameters"> {
  const { tools } = body;
  const isList = Array.isArray(tools) && tools.length > 0;
  const parameters = extraFields(body, [...known, "model", "stream", ...(isList ? ["tools"] : [])]);
  return {
    model: asString(body["model"]) ?? "",
    ...(isList ? { tools: tools as readonly unknown[] } : {}),
    ...withParameters(parameters),
  };
}

/** Parameters, where there are any. @internal */
export function withParameters(parameters: JsonObject): { readonly parameters?: JsonObject } {
  return Object.keys(parameters).length === 0 ? {} : { parameters };
}
