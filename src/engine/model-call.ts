/**
 * A call of a model client: the request that a session prepared, and what a failure of it means.
 */
import type { ModelClient, ModelRequest } from "../ports/model-client.ts";
import type { ModelFailure } from "../ports/model-failure.ts";
import { classifyModelError } from "../tokens/model-failure.ts";
import type { CallRequest } from "./prepared-call.ts";

/** What changes from call to call of one session. */
type Conversation = Pick<ModelRequest, "messages" | "cacheMarks">;

/** The request for a client: the host's part as it was handed over, and the conversation. */
export function modelRequest(
  request: CallRequest,
  conversation: Conversation,
  cacheTtl: ModelRequest["cacheTtl"],
): ModelRequest {
  const { model, system, tools, parameters, betas } = request;
  return {
    model,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(betas === undefined ? {} : { betas }),
    ...(cacheTtl === undefined ? {} : { cacheTtl }),
    ...conversation,
  };
}

/** What an error of a client's call means, by the client's own judgement where it has one. */
export function failureOf(client: ModelClient, error: unknown): ModelFailure {
  return client.classifyError?.(error) ?? classifyModelError(error);
}
