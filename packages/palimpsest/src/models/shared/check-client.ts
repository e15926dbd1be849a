/**
 * Checks the client that a program passes. One that is missing, or is another vendor's, is refused with the call that
 * takes it, before any request is sent.
 */
import { OptionError } from "../../base/errors.ts";

/** Something that a caller may have, and the functions of this library that take it. */
interface ClientRow {
  /** A method that only it has, with the path to it. */
  readonly method: string;
  /** Its name in messages. */
  readonly is: string;
  readonly example: string;
  /** The functions that take it. */
  readonly use: string;
}

const OPENAI = {
  is: "a client of `openai`",
  example: "new OpenAI()",
  use: "`openaiChatModel`, `openaiResponsesModel` or `withPalimpsest` of `palimpsest/openai`",
};

const CLIENTS = {
  anthropic: {
    method: "messages.create",
    is: "a client of `@anthropic-ai/sdk`",
    example: "new Anthropic()",
    use: "`anthropicModel` or `withPalimpsest` of `palimpsest/anthropic`",
  },
  "openai-chat": { method: "chat.completions.create", ...OPENAI },
  "openai-responses": { method: "responses.create", ...OPENAI },
  "openai-embeddings": { method: "embeddings.create", ...OPENAI },
  "ai-sdk": {
    method: "doGenerate",
    is: "a language model of the AI SDK",
    example: 'anthropic("claude-opus-5-5") of `@ai-sdk/anthropic`',
    use: "`aiSdkModel` of `palimpsest/ai-sdk`",
  },
  "ai-sdk-embeddings": {
    method: "doEmbed",
    is: "an embedding model of the AI SDK",
    example: 'openai.textEmbeddingModel("text-embedding-3-small") of `@ai-sdk/openai`',
    use: "`aiSdkEmbeddings` of `palimpsest/ai-sdk`",
  },
  langchain: {
    method: "invoke",
    is: "a chat model of LangChain",
    example: 'new ChatAnthropic({ model: "claude-opus-5-5" })',
    use: "`langchainModel` of `palimpsest/langchain`",
  },
} as const satisfies Readonly<Record<string, ClientRow>>;

/**
 * Refuses what `call` cannot use.
 * @param needs the member that it uses, if that is not the method by which the client is known
 * @throws `OptionError` @internal
 */
export function checkClient(
  call: string,
  client: unknown,
  kind: keyof typeof CLIENTS,
  needs: string = CLIENTS[kind].method,
): void {
  const { is, example }: ClientRow = CLIENTS[kind];
  if (memberOf(client, needs) !== undefined) return;
  const rows: readonly ClientRow[] = Object.values(CLIENTS);
  const other = rows.find((row) => row.is !== is && typeof memberOf(client, row.method) === "function");
  throw new OptionError({
    message: `\`${call}\` takes ${is}; it got ${other?.is ?? sayOther(client, needs)}.`,
    hint: other === undefined ? `Pass one, such as ${example}.` : `Pass that one to ${other.use}.`,
  });
}

function memberOf(client: unknown, path: string): unknown {
  let member = client;
  for (const name of path.split("."))
    member = (member as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return member;
}

function sayOther(client: unknown, needs: string): string {
  if (client === undefined || client === null) return String(client);
  if (typeof client === "object") return `an object without \`${needs}\``;
  return `a ${typeof client}`;
}
