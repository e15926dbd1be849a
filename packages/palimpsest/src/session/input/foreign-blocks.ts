/**
 * Blocks of other vocabularies, which a host must not hand over as they are: no request would hold them, and the model
 * would answer without them. A type that is in no table may be a new one of a vendor, and is kept.
 */
type Fields = Readonly<Record<string, unknown>>;

interface Vocabulary {
  readonly name: string;
  /** The converter that reads it. */
  readonly converter: string;
}

const CHAT: Vocabulary = {
  name: "OpenAI's Chat Completions",
  converter: "`fromOpenAIChat` of `palimpsest/formats`",
};
const RESPONSES: Vocabulary = {
  name: "OpenAI's Responses",
  converter: "`fromOpenAIResponses` of `palimpsest/formats`",
};
const AI_SDK: Vocabulary = { name: "the AI SDK", converter: "`fromModelMessages` of `palimpsest/ai-sdk`" };

const TEXT = '`{ type: "text", text }`';
const IMAGE = '`{ type: "image", source: { type: "url", url } }`';
const DOCUMENT = '`{ type: "document", source: { type: "base64", media_type, data } }`';
const CALL = '`{ type: "tool_use", id, name, input }`';
const RESULT = '`{ type: "tool_result", tool_use_id, content }`';

/** By type: the vocabulary, and the block of ours that says the same, if there is one. */
const FOREIGN: ReadonlyMap<string, readonly [Vocabulary, string?]> = new Map([
  ["image_url", [CHAT, IMAGE]],
  ["input_audio", [CHAT]],
  ["file", [CHAT, DOCUMENT]],
  ["input_text", [RESPONSES, TEXT]],
  ["input_image", [RESPONSES, IMAGE]],
  ["input_file", [RESPONSES, DOCUMENT]],
  ["output_text", [RESPONSES, TEXT]],
  ["function_call", [RESPONSES, CALL]],
  ["function_call_output", [RESPONSES, RESULT]],
  ["tool-call", [AI_SDK, CALL]],
  ["tool-result", [AI_SDK, RESULT]],
]);

/** Why a block is refused, and what to pass in its place. */
interface BlockRefusal {
  readonly problem: string;
  readonly pass: string;
}

/** Returns the refusal of a block in another vocabulary; `undefined` for any other block. */
export function refuseForeign(type: string, block: Fields): BlockRefusal | undefined {
  const [known, ours] = FOREIGN.get(type) ?? [];
  if (known === undefined) return undefined;
  const { name, converter } = "mediaType" in block ? AI_SDK : known;
  const instead = ours === undefined ? "" : `${ours}, or `;
  return {
    problem: `has the type "${type}" of ${name}, which no request would hold`,
    pass: `${instead}the messages that ${converter} makes`,
  };
}
