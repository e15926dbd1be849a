/**
 * The edits of the context that each endpoint can make on its side. An endpoint that is not in the table, such as a
 * compatible server or a gateway, gets no request for any: it might refuse a field that it does not know.
 *
 * An endpoint is known by its host, or by the name that the host gives to the model client.
 */
import { type OptionRule, oneOf } from "../../base/options/check-options.ts";
import type { EndpointEdits } from "../../ports/model-client.ts";
import { findClaudeVersion, parseModelId } from "../../tokens/models/model-id.ts";

/** Names of endpoints that can edit the context on their side. */
export type ProviderEndpoint =
  | "anthropic"
  | "anthropic-aws"
  | "bedrock"
  | "vertex"
  | "foundry"
  | "openai"
  | "azure-openai";

interface EndpointRow {
  readonly host: RegExp;
  readonly edits: Omit<EndpointEdits, "leastCompactTokens">;
}

const NONE = { clearsResults: false, clearsThinking: false, compacts: false, compactsOnDemand: false };
const CLEARS = { ...NONE, clearsResults: true, clearsThinking: true };
const ALL = { ...CLEARS, compacts: true };

/**
 * Sources: Anthropic docs (October 2026), "Context editing" (Claude API, Claude Platform on AWS, Bedrock, Google Cloud and
 * Foundry) and "Compaction overview" (threshold compaction: Claude API, Bedrock, Google Cloud; not stated for the other
 * two; on demand: Claude API, and on Bedrock the vendors' pages disagree); AWS docs, "Compaction" (InvokeModel only); OpenAI docs, "Compaction". Azure's documents do not name the field.
 */
const ENDPOINTS: Readonly<Record<ProviderEndpoint, EndpointRow>> = {
  anthropic: { host: /(?:^|\.)api\.anthropic\.com$/, edits: { ...ALL, compactsOnDemand: true } },
  "anthropic-aws": { host: /^aws-external-anthropic\..*\.api\.aws$/, edits: CLEARS },
  bedrock: { host: /^bedrock-(?:runtime|mantle)[.-].*\.(?:amazonaws\.com|api\.aws)$/, edits: ALL },
  vertex: { host: /(?:^|[.-])aiplatform\.googleapis\.com$/, edits: ALL },
  foundry: { host: /\.services\.ai\.azure\.com$/, edits: CLEARS },
  openai: { host: /^api\.openai\.com$/, edits: { ...NONE, compacts: true, compactsOnDemand: true } },
  "azure-openai": { host: /\.openai\.azure\.com$/, edits: NONE },
};

export const ENDPOINT_RULE: OptionRule = oneOf(...Object.keys(ENDPOINTS));

/** First Claude that takes the edits, and first one that summarises; Haiku never did before 5.5. Source: the same pages. */
const FIRST_CLAUDE = { clears: [4, 0], compacts: [4, 6], compactsHaiku: [5, 5] } as const;
/** Least trigger of a summary, in tokens. Source: Anthropic docs, "Compaction at a token threshold"; for OpenAI our choice. */
const LEAST_COMPACT_TOKENS = { anthropic: 50_000, openai: 10_000 };

/** Returns the edits that an endpoint makes for a model; `undefined` where the model may, and nothing is known of the endpoint. @internal */
export function endpointEdits(
  endpoint: { readonly name?: ProviderEndpoint | undefined; readonly baseUrl: unknown },
  model: string,
): EndpointEdits | undefined {
  const name = endpoint.name ?? endpointOf(endpoint.baseUrl);
  if (name === "openai" || name === "azure-openai")
    return { ...ENDPOINTS[name].edits, leastCompactTokens: LEAST_COMPACT_TOKENS.openai };
  const version = findClaudeVersion(parseModelId(model).name);
  if (version === undefined) return undefined;
  const isSince = ([major, minor]: readonly [number, number]): boolean =>
    version[0] > major || (version[0] === major && version[1] >= minor);
  const clears = isSince(FIRST_CLAUDE.clears);
  const first = /haiku/.test(model) ? FIRST_CLAUDE.compactsHaiku : FIRST_CLAUDE.compacts;
  // A model that is too old makes none wherever it runs.
  if (name === undefined && isSince(first)) return undefined;
  const { edits } = name === undefined ? { edits: NONE } : ENDPOINTS[name];
  return {
    clearsResults: edits.clearsResults && clears,
    clearsThinking: edits.clearsThinking && clears,
    compacts: edits.compacts && isSince(first),
    compactsOnDemand: edits.compactsOnDemand && isSince(first),
    leastCompactTokens: LEAST_COMPACT_TOKENS.anthropic,
  };
}

function endpointOf(baseUrl: unknown): ProviderEndpoint | undefined {
  const host = typeof baseUrl === "string" ? /^https:\/\/([^/:?#]+)/i.exec(baseUrl)?.[1] : undefined;
  if (host === undefined) return undefined;
  const found = Object.entries(ENDPOINTS).find(([, row]) => row.host.test(host.toLowerCase()));
  return found?.[0] as ProviderEndpoint | undefined;
}
