/**
 * The table of API keys and tokens that have a recognizable shape: how each begins, what follows, and where that is
 * documented.
 *
 * A key is looked for only where a word begins, so a row costs next to nothing. To add a family, add its row here and
 * a made-up key to the table of the tests. Secrets without a shape are in `secret-contexts.ts`.
 */

/** An open-source secret scanner whose rules cover many vendors. */
const GITLEAKS = "gitleaks, config/gitleaks.toml";
const GITHUB_DOCS = "GitHub docs, Supported secret scanning patterns";

/** Names of the families in this table. Written out, so that the published types need not hold the table. */
export type KeyFamily =
  | "anthropic"
  | "openrouter"
  | "langfuse"
  | "openai"
  | "deepseek"
  | "google"
  | "groq"
  | "xai"
  | "perplexity"
  | "huggingface"
  | "replicate"
  | "nvidia"
  | "cerebras"
  | "tavily"
  | "together"
  | "pinecone"
  | "langsmith"
  | "elevenlabs"
  | "jina"
  | "fireworks"
  | "github"
  | "gitlab"
  | "npm"
  | "pypi"
  | "rubygems"
  | "nuget"
  | "crates-io"
  | "clojars"
  | "docker"
  | "jfrog"
  | "sonar"
  | "sourcegraph"
  | "atlassian"
  | "linear"
  | "postman"
  | "buildkite"
  | "octopus"
  | "prefect"
  | "readme"
  | "infracost"
  | "launchdarkly"
  | "typeform"
  | "contentful"
  | "figma"
  | "notion"
  | "airtable"
  | "aws"
  | "digitalocean"
  | "databricks"
  | "vault"
  | "doppler"
  | "pulumi"
  | "heroku"
  | "cloudflare"
  | "fly"
  | "netlify"
  | "supabase"
  | "planetscale"
  | "tailscale"
  | "openshift"
  | "alibaba"
  | "tencent"
  | "yandex"
  | "age"
  | "1password"
  | "dynatrace"
  | "grafana"
  | "new-relic"
  | "sentry"
  | "slack"
  | "bot-token"
  | "webhook"
  | "stripe"
  | "square"
  | "meta"
  | "shopify"
  | "shippo"
  | "easypost"
  | "duffel"
  | "flutterwave"
  | "braintree"
  | "twilio"
  | "sendgrid"
  | "mailgun"
  | "brevo"
  | "resend"
  | "mapbox"
  | "adobe"
  | "frameio"
  | "dropbox"
  | "jwt"
  | "paseto"
  | "private-key";

interface KeyShape {
  readonly family: KeyFamily;
  /** Possible first characters of a key, at least two each. */
  readonly starts: readonly string[];
  /** Pattern of the part after the start. Repetitions are bounded; no part of it can be matched in two ways. */
  readonly body: string;
  /** The document that describes the shape. */
  readonly source: string;
}

/** A character of base64. */
const B64 = "[A-Za-z0-9+/]";
const HEX = "[a-f0-9]";
/** The end of a key of fixed length: no further letter or digit follows. */
const END = "(?![A-Za-z0-9])";
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

/** More specific rows come first: the first row that matches names the family. */
export const KEY_SHAPES: readonly KeyShape[] = [
  // Models and their tools.
  { family: "anthropic", starts: ["sk-ant-"], body: "[\\w-]{20,9999}", source: GITLEAKS },
  {
    family: "openrouter",
    starts: ["sk-or-"],
    body: "[\\w-]{24,9999}",
    source: "OpenRouter docs, Authentication",
  },
  { family: "langfuse", starts: ["sk-lf-"], body: UUID, source: "Langfuse docs, API keys" },
  {
    family: "openai",
    starts: ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    body: "[\\w-]{24,9999}",
    source: GITLEAKS,
  },
  { family: "openai", starts: ["sk-"], body: "(?=[A-Za-z]{0,47}\\d)[A-Za-z0-9]{40,9999}", source: GITLEAKS },
  {
    family: "deepseek",
    starts: ["sk-"],
    body: `${HEX}{32}${END}`,
    source: "DeepSeek docs, Your first API call",
  },
  { family: "google", starts: ["AIza"], body: "[\\w-]{35}", source: GITLEAKS },
  { family: "google", starts: ["GOCSPX-"], body: "[\\w-]{28}", source: "Google docs, Using OAuth 2.0" },
  { family: "google", starts: ["ya29."], body: "[\\w.-]{30,9999}", source: "Google docs, Using OAuth 2.0" },
  { family: "google", starts: ["1//0"], body: "[\\w-]{30,9999}", source: "Google docs, Using OAuth 2.0" },
  { family: "groq", starts: ["gsk_"], body: "[A-Za-z0-9]{40,9999}", source: GITHUB_DOCS },
  { family: "xai", starts: ["xai-"], body: "[A-Za-z0-9]{60,9999}", source: GITHUB_DOCS },
  { family: "perplexity", starts: ["pplx-"], body: "[A-Za-z0-9]{40,9999}", source: GITLEAKS },
  { family: "huggingface", starts: ["hf_", "api_org_"], body: "[A-Za-z0-9]{30,9999}", source: GITLEAKS },
  { family: "replicate", starts: ["r8_"], body: "[A-Za-z0-9]{37,40}", source: GITHUB_DOCS },
  { family: "nvidia", starts: ["nvapi-"], body: "[\\w-]{60,9999}", source: "NVIDIA docs, NGC API keys" },
  { family: "cerebras", starts: ["csk-"], body: "[a-z0-9]{40,9999}", source: "Cerebras docs, Quickstart" },
  {
    family: "tavily",
    starts: ["tvly-"],
    body: "(?:dev-|prod-)?[A-Za-z0-9]{30,9999}",
    source: "Tavily docs, Quickstart",
  },
  { family: "together", starts: ["tgp_v1_"], body: "[\\w-]{40,9999}", source: "Together docs, API keys" },
  { family: "pinecone", starts: ["pcsk_"], body: "\\w{50,9999}", source: GITHUB_DOCS },
  {
    family: "langsmith",
    starts: ["lsv2_pt_", "lsv2_sk_"],
    body: `${HEX}{32}_${HEX}{10}`,
    source: GITHUB_DOCS,
  },
  {
    family: "elevenlabs",
    starts: ["sk_"],
    body: `${HEX}{48}${END}`,
    source: "ElevenLabs docs, Authentication",
  },
  {
    family: "fireworks",
    starts: ["fw_"],
    body: `(?=[A-Za-z]{0,21}\\d)[A-Za-z0-9]{22,24}${END}`,
    source: "Fireworks docs, API keys",
  },
  { family: "jina", starts: ["jina_"], body: "[\\w-]{50,9999}", source: "Jina docs, API keys" },
  // Code and packages.
  {
    family: "github",
    starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    body: "[A-Za-z0-9]{30,9999}",
    source: GITLEAKS,
  },
  { family: "github", starts: ["github_pat_"], body: "\\w{30,9999}", source: GITLEAKS },
  {
    family: "gitlab",
    starts: [
      "glpat-",
      "gldt-",
      "glrt-",
      "glptt-",
      "glft-",
      "glsoat-",
      "glimt-",
      "glagent-",
      "gloas-",
      "glcbt-",
    ],
    body: "[\\w.-]{20,9999}",
    source: "GitLab docs, Token overview",
  },
  { family: "npm", starts: ["npm_"], body: "[A-Za-z0-9]{36}", source: GITLEAKS },
  { family: "pypi", starts: ["pypi-AgE"], body: "[\\w-]{50,9999}", source: GITLEAKS },
  { family: "rubygems", starts: ["rubygems_"], body: `${HEX}{48}`, source: GITLEAKS },
  { family: "nuget", starts: ["oy2"], body: `[a-z0-9]{43}${END}`, source: GITHUB_DOCS },
  {
    family: "crates-io",
    starts: ["cio"],
    body: `(?=[a-z]{0,31}[A-Z0-9])[A-Za-z0-9]{32}${END}`,
    source: GITHUB_DOCS,
  },
  { family: "clojars", starts: ["CLOJARS_"], body: "[a-zA-Z0-9]{60}", source: GITLEAKS },
  { family: "docker", starts: ["dckr_pat_", "dckr_oat_"], body: "[\\w-]{20,9999}", source: GITHUB_DOCS },
  { family: "jfrog", starts: ["AKCp"], body: "[A-Za-z0-9]{60,9999}", source: GITLEAKS },
  { family: "jfrog", starts: ["cmVmd"], body: `[A-Za-z0-9]{59}${END}`, source: GITLEAKS },
  { family: "sonar", starts: ["squ_", "sqp_", "sqa_"], body: "[a-z0-9]{40}", source: GITLEAKS },
  {
    family: "sourcegraph",
    starts: ["sgp_"],
    body: "(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}",
    source: GITLEAKS,
  },
  { family: "atlassian", starts: ["ATATT3x", "ATCTT3x"], body: "[\\w=-]{60,9999}", source: GITLEAKS },
  { family: "atlassian", starts: ["ATBB"], body: "[A-Za-z0-9]{32}", source: GITHUB_DOCS },
  { family: "linear", starts: ["lin_api_", "lin_oauth_"], body: "[A-Za-z0-9]{32,9999}", source: GITLEAKS },
  { family: "postman", starts: ["PMAK-"], body: `${HEX}{24}-${HEX}{34}`, source: GITLEAKS },
  { family: "buildkite", starts: ["bkua_"], body: `${HEX}{40}`, source: GITHUB_DOCS },
  { family: "octopus", starts: ["API-"], body: `(?=[A-Z]{0,25}\\d)[A-Z0-9]{26}${END}`, source: GITLEAKS },
  { family: "prefect", starts: ["pnu_"], body: "[a-zA-Z0-9]{36}", source: GITLEAKS },
  { family: "readme", starts: ["rdme_"], body: "[a-z0-9]{70}", source: GITLEAKS },
  { family: "infracost", starts: ["ico-"], body: `[A-Za-z0-9]{32}${END}`, source: GITLEAKS },
  { family: "launchdarkly", starts: ["sdk-", "mob-", "api-"], body: UUID, source: GITHUB_DOCS },
  { family: "typeform", starts: ["tfp_"], body: "[\\w.=-]{40,9999}", source: GITLEAKS },
  { family: "contentful", starts: ["CFPAT-"], body: "[\\w-]{43}", source: GITHUB_DOCS },
  {
    family: "figma",
    starts: ["figd_", "figo_", "figu_", "figor_", "figur_"],
    body: "[\\w-]{36,9999}",
    source: GITHUB_DOCS,
  },
  { family: "notion", starts: ["ntn_"], body: "[A-Za-z0-9]{40,9999}", source: GITLEAKS },
  {
    family: "notion",
    starts: ["secret_"],
    body: `(?=[A-Za-z]{0,42}\\d)[A-Za-z0-9]{43}${END}`,
    source: GITHUB_DOCS,
  },
  { family: "airtable", starts: ["pat"], body: `[A-Za-z0-9]{14}\\.${HEX}{64}`, source: GITLEAKS },
  // Clouds and infrastructure.
  {
    family: "aws",
    starts: ["AKIA", "ASIA", "ABIA", "ACCA"],
    body: "[A-Z2-7]{16}(?![A-Za-z0-9])",
    source: GITLEAKS,
  },
  {
    family: "aws",
    starts: ["ABSKQmVkcm9ja0FQSUtleS", "bedrock-api-key-"],
    body: `${B64}{40,9999}={0,2}`,
    source: "AWS docs, Amazon Bedrock API keys",
  },
  {
    family: "digitalocean",
    starts: ["doo_v1_", "dop_v1_", "dor_v1_"],
    body: `${HEX}{32,9999}`,
    source: GITLEAKS,
  },
  { family: "databricks", starts: ["dapi"], body: `${HEX}{32}(?:-\\d)?${END}`, source: GITLEAKS },
  { family: "vault", starts: ["hvs.", "hvb.", "hvr."], body: "[\\w-]{24,9999}", source: GITLEAKS },
  {
    family: "doppler",
    starts: ["dp."],
    body: "(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,9999}",
    source: GITLEAKS,
  },
  { family: "pulumi", starts: ["pul-"], body: `${HEX}{40}`, source: GITLEAKS },
  { family: "heroku", starts: ["HRKU-"], body: "[\\w-]{36,9999}", source: GITLEAKS },
  { family: "cloudflare", starts: ["v1.0-"], body: `${HEX}{24}-${HEX}{146}`, source: GITLEAKS },
  { family: "fly", starts: ["fo1_"], body: "[\\w-]{43}", source: GITLEAKS },
  { family: "fly", starts: ["fm1r_", "fm1a_", "fm2_"], body: `${B64}{100,9999}={0,3}`, source: GITLEAKS },
  { family: "netlify", starts: ["nfp_", "nfc_", "nfo_"], body: "\\w{36,9999}", source: GITHUB_DOCS },
  { family: "supabase", starts: ["sbp_"], body: "[A-Za-z0-9]{32,9999}", source: GITHUB_DOCS },
  { family: "supabase", starts: ["sb_secret_"], body: "[\\w-]{20,9999}", source: "Supabase docs, API keys" },
  {
    family: "planetscale",
    starts: ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    body: "[\\w=.-]{32,9999}",
    source: GITLEAKS,
  },
  {
    family: "tailscale",
    starts: ["tskey-"],
    body: "[a-z]{2,12}-[A-Za-z0-9]{6,40}-[A-Za-z0-9]{16,9999}",
    source: GITHUB_DOCS,
  },
  { family: "openshift", starts: ["sha256~"], body: "[\\w-]{43}", source: GITLEAKS },
  { family: "alibaba", starts: ["LTAI"], body: `[A-Za-z0-9]{16,24}${END}`, source: GITLEAKS },
  { family: "tencent", starts: ["AKID"], body: `[A-Za-z0-9]{32}${END}`, source: GITHUB_DOCS },
  { family: "yandex", starts: ["AQVN"], body: "[\\w-]{35,38}", source: GITLEAKS },
  { family: "age", starts: ["AGE-SECRET-KEY-1"], body: "[A-Z0-9]{58}", source: GITLEAKS },
  { family: "1password", starts: ["ops_eyJ"], body: `${B64}{100,9999}={0,3}`, source: GITLEAKS },
  {
    family: "1password",
    starts: ["A3-"],
    body: "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    source: GITLEAKS,
  },
  {
    family: "dynatrace",
    starts: ["dt0"],
    body: "[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}",
    source: GITLEAKS,
  },
  { family: "grafana", starts: ["glc_"], body: `${B64}{32,9999}={0,3}`, source: GITLEAKS },
  { family: "grafana", starts: ["glsa_"], body: "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", source: GITLEAKS },
  {
    family: "new-relic",
    starts: ["NRAK-", "NRII-", "NRJS-", "NRRA-"],
    body: "[A-Za-z0-9-]{19,64}",
    source: GITLEAKS,
  },
  { family: "sentry", starts: ["sntrys_"], body: "[\\w+/=.-]{60,9999}", source: GITLEAKS },
  { family: "sentry", starts: ["sntryu_"], body: `${HEX}{64}`, source: GITLEAKS },
  // Messages and payments.
  {
    family: "slack",
    starts: ["xoxe.xoxp-", "xoxe.xoxb-"],
    body: "[\\w-]{20,9999}",
    source: "Slack docs, Tokens",
  },
  {
    family: "slack",
    starts: ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"],
    body: "[\\w%-]{10,9999}",
    source: GITLEAKS,
  },
  { family: "slack", starts: ["xapp-"], body: "\\d-[\\w-]{20,9999}", source: GITLEAKS },
  {
    family: "bot-token",
    // How the digits of an account's number begin in base64.
    starts: ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
    body: "[A-Za-z\\d]{22,26}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w-])",
    source: "Discord docs, Authentication",
  },
  {
    family: "webhook",
    starts: ["whsec_"],
    body: "[A-Za-z0-9+/=_-]{16,9999}",
    source: "Stripe docs, Webhooks",
  },
  {
    family: "stripe",
    starts: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_"],
    body: "[A-Za-z0-9_]{16,9999}",
    source: GITLEAKS,
  },
  { family: "square", starts: ["EAAA"], body: `(?=[A-Za-z_-]{0,50}\\d)[\\w-]{60}${END}`, source: GITLEAKS },
  { family: "square", starts: ["sq0atp-", "sq0csp-", "sq0idp-"], body: "[\\w-]{22,60}", source: GITLEAKS },
  { family: "meta", starts: ["EAA"], body: "(?=[A-Za-z]{0,60}\\d)[A-Za-z0-9]{80,9999}", source: GITLEAKS },
  {
    family: "shopify",
    starts: ["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
    body: "[a-fA-F0-9]{32}",
    source: GITLEAKS,
  },
  { family: "shippo", starts: ["shippo_live_", "shippo_test_"], body: "[a-fA-F0-9]{40}", source: GITLEAKS },
  { family: "easypost", starts: ["EZAK", "EZTK"], body: "[A-Za-z0-9]{54}", source: GITLEAKS },
  { family: "duffel", starts: ["duffel_test_", "duffel_live_"], body: "[\\w=-]{43}", source: GITLEAKS },
  {
    family: "flutterwave",
    starts: ["FLWSECK-", "FLWSECK_TEST-"],
    body: "[A-Za-z0-9]{12,40}(?:-X)?",
    source: GITLEAKS,
  },
  {
    family: "braintree",
    starts: ["access_token$"],
    body: "(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}",
    source: GITHUB_DOCS,
  },
  { family: "twilio", starts: ["SK"], body: `${HEX}{32}${END}`, source: GITLEAKS },
  { family: "sendgrid", starts: ["SG."], body: "[\\w-]{16,64}\\.[\\w-]{32,9999}", source: GITLEAKS },
  { family: "mailgun", starts: ["key-"], body: `${HEX}{32}${END}`, source: GITLEAKS },
  {
    family: "brevo",
    starts: ["xkeysib-", "xsmtpsib-"],
    body: `${HEX}{64}-[A-Za-z0-9]{16}`,
    source: GITLEAKS,
  },
  {
    family: "resend",
    starts: ["re_"],
    body: "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
    source: "Resend docs, API keys",
  },
  {
    family: "mapbox",
    starts: ["sk.eyJ"],
    body: "[\\w-]{40,400}\\.[\\w-]{20,40}",
    source: "Mapbox docs, Access tokens",
  },
  { family: "adobe", starts: ["p8e-"], body: "[a-zA-Z0-9]{32}", source: GITLEAKS },
  { family: "frameio", starts: ["fio-u-"], body: "[\\w=-]{64}", source: GITLEAKS },
  { family: "dropbox", starts: ["sl."], body: "(?:u\\.)?[\\w-]{100,9999}", source: GITLEAKS },
  // Standards.
  {
    family: "jwt",
    starts: ["eyJ"],
    body: "[\\w-]{8,9999}\\.eyJ[\\w-]{8,9999}\\.[\\w-]{8,9999}",
    source: "RFC 7519, JSON Web Token",
  },
  {
    family: "paseto",
    starts: ["v1", "v2", "v3", "v4"].flatMap((version) => [`${version}.local.`, `${version}.public.`]),
    body: "[\\w-]{40,9999}(?:\\.[\\w-]{1,9999})?",
    source: "PASETO, Platform-Agnostic Security Tokens, Tokens",
  },
  // The same in base64, as configuration keeps it; a certificate and a public key are left alone.
  ...(
    [
      ["anthropic", ["c2stYW50L"], ""],
      ["openrouter", ["c2stb3It"], ""],
      ["github", ["Z2hwX", "Z2hvX", "Z2h1X", "Z2hzX", "Z2hyX", "Z2l0aHViX3BhdF"], ""],
      ["aws", ["QUtJQ"], ""],
      ["google", ["QUl6Y"], ""],
      ["slack", ["eG94Yi", "eG94cC", "eG94YS"], ""],
      ["webhook", ["d2hzZWNf"], ""],
      ["supabase", ["c2JwX"], ""],
      ["private-key", ["LS0tLS1CRUdJTi"], "(?!BDRVJU|BQVUJM)"],
    ] as const
  ).map(([family, starts, not]) => ({
    family,
    starts,
    body: `${not}${B64}{20,9999}={0,2}`,
    source: "RFC 4648, Base64",
  })),
];
