/**
 * The result of reading a list of messages in a provider's format.
 */
import type { Message } from "../../transcript/messages.ts";

/** Messages of a request; whatever in the list is no message is counted in `unreadable`. */
export interface ReadMessages {
  readonly messages: readonly Message[];
  /** Indexes of elements that are no messages. */
  readonly unreadable: readonly number[];
}
