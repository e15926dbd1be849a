/**
 * The texts of providers and SDKs for every other failure: bytes and media, throttling, keys, models, history
 * that was edited, connections. The first row that fits counts.
 *
 * Source: the vendors' documents on errors, the classes of their SDKs, and their answers in public issue
 * trackers.
 */
import type { FailureRow } from "./failure-evidence.ts";

/** Bytes and media, which count apart from tokens. @internal */
export const TOO_LARGE_ROWS: readonly FailureRow[] = [
  {
    vendor: "Anthropic, Bedrock",
    kind: "media-too-large",
    pattern:
      /image exceeds (?:\d{1,6}(?:\.\d{1,3})? ?[km]b maximum|max pixels allowed)(?:: (?<bytes>[\d,]{1,20}) bytes > (?<limitBytes>[\d,]{1,20}) bytes)?/i,
    sample:
      "messages.46.content.9.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes",
  },
  {
    vendor: "Anthropic",
    kind: "media-too-large",
    pattern: /image dimensions exceed max allowed size/i,
    sample:
      "messages.84.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
  },
  {
    vendor: "Anthropic",
    kind: "media-too-large",
    pattern: /a maximum of \d{1,6} pdf pages may be provided/i,
    sample: "messages.1.content.22.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.",
  },
  {
    vendor: "Bedrock, OpenAI, vLLM",
    kind: "media-too-large",
    pattern:
      /too many (?:total )?(?:images|image parts|documents)|too much media|at most \d{1,6} images?(?:\(s\))? may be provided|maximum \d{1,6} images per request|number of images in the request exceeds|exceeds the maximum number of images/i,
    codes: ["image_too_large"],
    sample: "too many images and documents: 23 + 0 > 20",
  },
  {
    vendor: "Anthropic",
    kind: "body-too-large",
    pattern:
      /request exceeds the maximum (?:allowed )?(?:size|number of bytes)|request_too_large|request_body_too_large/i,
    codes: ["request_too_large", "request_body_too_large_after_decoding"],
    sample: "Request exceeds the maximum size",
  },
  {
    vendor: "OpenAI",
    kind: "body-too-large",
    pattern: /invalid '(?:messages|input)\[\d{1,6}\](?:\.(?:content|output))?[^']{0,80}': string too long/i,
    sample:
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
  },
  {
    vendor: "Gemini, proxies",
    kind: "body-too-large",
    pattern:
      /request payload size exceeds the limit: (?<limitBytes>[\d,]{1,20}) bytes|request entity too large|payload too large|content too large/i,
    sample: "Request payload size exceeds the limit: 20971520 bytes. Please use a smaller payload.",
  },
];

/** History that was edited behind reasoning that the provider signed or encrypted. @internal */
export const BINDING_ROWS: readonly FailureRow[] = [
  {
    vendor: "Anthropic",
    kind: "invalid-request",
    isThinkingBinding: true,
    pattern:
      /invalid `?signature`? in `?(?:redacted_)?thinking`? block|the block is bound to a different conversation/i,
    sample:
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
  },
  {
    vendor: "Anthropic",
    kind: "invalid-request",
    isThinkingBinding: true,
    pattern:
      /`?thinking`? (?:or `?redacted_thinking`? )?blocks in the latest assistant message cannot be modified/i,
    sample:
      "messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
  },
  {
    vendor: "OpenAI",
    kind: "invalid-request",
    isThinkingBinding: true,
    pattern: /the encrypted content .{0,300}?could not be (?:verified|decrypted)/is,
    codes: ["invalid_encrypted_content"],
    sample: "The encrypted content for item rs_1 could not be verified.",
  },
  {
    vendor: "OpenAI",
    kind: "invalid-request",
    isThinkingBinding: true,
    pattern: /was provided without its required (?:following item|'?reasoning'? item)/i,
    sample: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  },
  {
    vendor: "Gemini",
    kind: "invalid-request",
    isThinkingBinding: true,
    pattern: /(?:missing a|invalid|corrupted) thought[_ ]signature|thought[_ ]signature is not valid/i,
    sample: "Function call is missing a thought_signature in functionCall parts.",
  },
];

/** Texts that say that waiting helps. @internal */
export const THROTTLED_ROWS: readonly FailureRow[] = [
  {
    vendor: "Gemini",
    kind: "throttled",
    pattern: /quota exceeded for (?:metric|quota metric)|resource (?:has been )?exhausted/i,
    codes: ["RESOURCE_EXHAUSTED"],
    sample:
      "You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20. Please retry in 36.9s.",
  },
  {
    vendor: "Bedrock",
    kind: "throttled",
    pattern: /too many (?:tokens|requests), please wait|too many tokens per day/i,
    codes: ["ThrottlingException", "TooManyRequestsException", "ServiceQuotaExceededException"],
    sample: "Too many tokens, please wait before trying again.",
  },
  {
    vendor: "OpenAI, Anthropic, any",
    kind: "throttled",
    pattern:
      /rate[ _-]?limit(?:ed|s|_error|_exceeded)?\b|too many requests|tokens? per (?:min|minute|day)\b|service tier capacity exceeded/i,
    codes: ["rate_limit_error", "rate_limit_exceeded"],
    sample:
      "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29500, Requested 1800. Please try again in 2.6s.",
  },
];

/** Keys, credit and models. @internal */
export const REFUSED_ROWS: readonly FailureRow[] = [
  {
    vendor: "OpenAI, Anthropic, DeepSeek, OpenRouter",
    kind: "not-allowed",
    pattern:
      /insufficient_quota|credit balance is too low|insufficient balance|insufficient credits|check your plan and billing|exceeded your available credits/i,
    codes: ["insufficient_quota", "billing_error", "billing_not_active", "exceeded_current_quota_error"],
    sample:
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  },
  {
    vendor: "OpenAI, Anthropic, Gemini, Bedrock",
    kind: "not-allowed",
    pattern:
      /incorrect api key|invalid (?:x-)?api[ -_]?key|api key not valid|missing credentials|could not resolve authentication method|api key is missing|security token included in the request is (?:invalid|expired)/i,
    codes: [
      ...["authentication_error", "permission_error", "invalid_api_key", "UNAUTHENTICATED"],
      ...["PERMISSION_DENIED", "AccessDeniedException", "UnrecognizedClientException"],
      ...["ExpiredTokenException", "AuthenticationError", "PermissionDeniedError", "AI_LoadAPIKeyError"],
    ],
    sample: "Incorrect API key provided. You can find your API key in your account settings.",
  },
  {
    vendor: "OpenAI, Gemini, OpenRouter, Ollama, Bedrock",
    kind: "unknown-model",
    pattern:
      /the model [`'"][^`'"]{1,120}[`'"] (?:does not exist|has been deprecated|was not found)|model [`'"][^`'"]{1,120}[`'"],? (?:was )?not found|is not a valid model id|models\/[\w.-]{1,120} is not found|provided model identifier is invalid|^(?:404 )?model: [\w.:@/-]{1,120}$/i,
    codes: ["model_not_found", "AI_NoSuchModelError", "DeploymentNotFound"],
    sample: "The model `gpt-9` does not exist or you do not have access to it.",
  },
];

/** Connections, time, the provider's own troubles, and answers that are none. @internal */
export const TRANSPORT_ROWS: readonly FailureRow[] = [
  // An SDK whose time is up aborts its own request, and says so in the cause.
  {
    vendor: "SDKs, the platform, Bedrock, Vertex",
    kind: "timeout",
    pattern:
      /^request timed out\.?$|\btimed out\b|\btimeout (?:of \d|exceeded)|headers timeout|body timeout/i,
    codes: [
      ...["TimeoutError", "APIConnectionTimeoutError", "ETIMEDOUT", "ESOCKETTIMEDOUT"],
      ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
      ...["ModelTimeoutException", "DEADLINE_EXCEEDED", "timeout_error"],
    ],
    sample: "Request timed out.",
  },
  {
    vendor: "SDKs, the platform",
    kind: "aborted",
    pattern: /^request was aborted\.?$|^this operation was aborted$|^the operation was aborted$/i,
    codes: ["AbortError", "APIUserAbortError", "ABORT_ERR", "ABORTED"],
    sample: "Request was aborted.",
  },
  {
    vendor: "Anthropic, Gemini, Bedrock",
    kind: "overloaded",
    pattern: /^overloaded$|model is (?:currently )?overloaded|server is busy|currently unavailable/i,
    codes: [
      ...["overloaded_error", "UNAVAILABLE", "INTERNAL", "api_error", "server_error"],
      ...["ServiceUnavailableException", "InternalServerException", "ModelNotReadyException"],
      ...["ModelErrorException", "ModelStreamErrorException", "compaction_unavailable"],
    ],
    sample: "Overloaded",
  },
  {
    vendor: "SDKs, the platform",
    kind: "network",
    pattern:
      /^connection error\.?$|fetch failed|socket hang up|premature close|^terminated$|other side closed|network error|cannot connect to api/i,
    codes: [
      ...["APIConnectionError", "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ENOTFOUND", "EAI_AGAIN"],
      ...["EPIPE", "EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "UND_ERR_SOCKET", "UND_ERR_CLOSED"],
      ...["ERR_STREAM_PREMATURE_CLOSE", "CERT_HAS_EXPIRED", "SELF_SIGNED_CERT_IN_CHAIN"],
      ...["DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ],
    sample: "fetch failed",
  },
  {
    vendor: "SDKs",
    kind: "unreadable-answer",
    pattern:
      /stream ended without producing|request ended without sending any chunks|unexpected event order|could not parse (?:message|response) into json|in json at position|unexpected end of json|is not valid json|invalid json response|cannot use 'in' operator|is not iterable|cannot read propert(?:y|ies) of (?:null|undefined)/i,
    codes: [
      ...["SyntaxError", "AI_JSONParseError", "AI_TypeValidationError", "AI_InvalidResponseDataError"],
      ...["AI_EmptyResponseBodyError", "AI_NoContentGeneratedError"],
    ],
    sample: "Unexpected token '<', \"<html>\" is not valid JSON",
  },
];
