/** `palimpsest/openai-agents`: a session as the `Session` of the OpenAI Agents SDK, with the window of its runs. */
export {
  type AgentsModelData,
  agentsSession,
  type OpenAIAgentsSession,
} from "../integrations/openai-agents/agents-session.ts";
export { fromOpenAIAgents } from "../wire/openai-agents/from-openai-agents.ts";
export { toOpenAIAgents } from "../wire/openai-agents/to-openai-agents.ts";
