/** `palimpsest/mastra`: a session's window in the agents of Mastra, and its messages both ways. */
export {
  type MastraProcessor,
  type MastraProcessorOptions,
  type MastraStep,
  mastraProcessor,
} from "../integrations/mastra/mastra-processor.ts";
export {
  fromMastraMessages,
  type MastraMessage,
  type MastraPlace,
  toMastraMessages,
} from "../wire/mastra/mastra-messages.ts";
