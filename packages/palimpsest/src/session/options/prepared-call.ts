/**
 * The request of a host before a call, and the call that it gets back to send.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { AppliedProviderEdits, EndpointEdits, ProviderEditPlan } from "../../ports/model-client.ts";
import type { TokenWarningState } from "../../tokens/budget/warning-state.ts";
import type { MessageInput, Usage } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";

/** The part of a request that is the host's: everything but the conversation. */
export interface CallRequest {
  /** Id of the model as its provider spells it; window, tokenizer and rules follow from it. */
  readonly model: string;
  /** The system prompt. It counts against the window, and its text is stored once. */
  readonly system?: string;
  /** Tool definitions in the shape the provider takes. */
  readonly tools?: readonly unknown[];
  /**
   * True if the model has `history_search` and `history_read`; without them no summary or preview names them. Set it
   * if the host sends its tools in another way than by `tools`.
   * @defaultValue true if `tools` declares both
   */
  readonly historyTools?: boolean;
  /** Parameters of the request, such as `max_tokens`; written into the log and not interpreted. */
  readonly parameters?: JsonObject;
  /** Beta features that the request asks for; likewise. */
  readonly betas?: readonly string[];
  /**
   * Cache marks that the host sets itself, on system prompt and tools: providers take four in all, and
   * refuse a request with more.
   * @defaultValue 2
   */
  readonly reservedMarks?: number;
  /**
   * The edits of the context that the endpoint can make on its side; an `AgentSession` knows those of its model. Which of
   * them are asked for is an option of the session (`window.providerEdits`). @defaultValue none
   */
  readonly endpointEdits?: EndpointEdits | undefined;
}

/** Sizes of one prepared call, in tokens. */
export interface CallTokens {
  /** Our best figure for the whole request, unpadded. */
  readonly total: number;
  /** The figure that decided whether it fits: `total` with the safety margin of what is known about it. */
  readonly padded: number;
  /** System prompt and tools within `total`. */
  readonly fixed: number;
  /** Thinking within `total`, by its text: signatures take no room. */
  readonly thinking: number;
  /** The budget of `thinking`, for hosts to show: `thinkingTokens` of the limits, 32,000 in a window of 200,000. Nothing is removed beyond it. */
  readonly thinkingBudget: number;
  /** The source of `total`: `reported` or `anchored` (the last report, and messages since), or `estimate`. */
  readonly source: string;
}

/** A request that is ready to be sent, and what had to be done for it. */
export interface PreparedCall {
  /** Names the call in the log: `windowAt(callSeq)` builds its window again. */
  readonly callSeq: number;
  readonly model: string;
  /** As it was handed over. */
  readonly system?: string;
  /** As they were handed over. */
  readonly tools?: readonly unknown[];
  /** The conversation, valid for every provider; `formats` turns it into a provider's shape. */
  readonly messages: readonly RequestMessage[];
  /**
   * Blocks of `messages` that should carry a cache mark; none where the provider needs none. Hand them to
   * `toAnthropic`, or leave them: they change what the call costs, not what the model sees.
   */
  readonly cacheMarks: readonly CacheMark[];
  /**
   * The lifetime for the cache mark that you set on system prompt and tools: after longer pauses an hour pays, as
   * `headCacheTtl` of the window says. Absent for that of the other marks. The API takes marks of an hour only before
   * shorter ones.
   */
  readonly headCacheTtl?: "5m" | "1h";
  /** Edits that the provider is to be asked for, in the request of a model client; absent for none. */
  readonly providerEdits?: ProviderEditPlan;
  readonly tokens: CallTokens;
  /** The warning for the user about the space that is left; none between a rewrite and the next report. */
  readonly warning: TokenWarningState;
  /** Edits the layers made for this call, oldest first; empty for most calls. */
  readonly edits: readonly { readonly seq: number; readonly edit: LayerEdit }[];
}

/** A model's answer as the host received it. */
export interface CallAnswer {
  /** The call that is answered. @defaultValue the newest that was prepared and not answered */
  readonly callSeq?: number;
  /** The assistant's message, or its text; several where the response came in chunks. */
  readonly messages: MessageInput | readonly MessageInput[];
  /** The usage that the provider reported. Without it the estimate cannot learn, and sizes stay padded. */
  readonly usage?: Usage;
  /** In the words of the provider; kept in the log. `null` is the same as none. */
  readonly stopReason?: string | null;
  /** Edits that the provider reports to have made, as a model client reads them. */
  readonly providerEdits?: AppliedProviderEdits | undefined;
}
