/**
 * From the text of a file to the sessions it holds, whatever supported format it is in.
 */
import { InputError } from "../base/errors.ts";
import { importAnthropicMessages } from "./anthropic-messages/import-anthropic-messages.ts";
import { importClaudeCode } from "./claude-code/import-claude-code.ts";
import { importCodex } from "./codex/import-codex.ts";
import { importCopilot } from "./copilot/import-copilot.ts";
import { detectFormat } from "./detect-format.ts";
import { importGeminiCli } from "./gemini-cli/import-gemini-cli.ts";
import { importMiniSweAgent } from "./mini-swe-agent/import-mini-swe-agent.ts";
import { importOpenAIChat } from "./openai-chat/import-openai-chat.ts";
import { importOpencode } from "./opencode/import-opencode.ts";
import { importOpenhands } from "./openhands/import-openhands.ts";
import { importPi } from "./pi/import-pi.ts";
import type { FormatName, ImportedSession, ImportRepair, NotRead } from "./shared/imported-session.ts";
import { readRecords, type SourceRecord, type TextSource } from "./shared/read-records.ts";
import { addNotRead, RepairLog } from "./shared/repair-log.ts";
import { importSweAgent } from "./swe-agent/import-swe-agent.ts";

/** The sessions of one file. */
export interface ImportResult {
  /** The format that was recognised. */
  readonly format: FormatName;
  /** At least one; a file of trajectories holds many. */
  readonly sessions: readonly ImportedSession[];
  /** Everything that had to be worked around, of all sessions. */
  readonly repairs: readonly ImportRepair[];
  /** What is in the file and in none of the sessions, because it could not be read. */
  readonly notRead: NotRead;
}

/**
 * Imports all sessions of a text, given whole or as lines.
 *
 * @throws InputError `INPUT_EMPTY`, `INPUT_UNREADABLE` or `INPUT_TOO_LARGE` where the text cannot be
 * read at all, `FORMAT_UNKNOWN` with what was seen instead, `NO_MESSAGES` where nobody says anything.
 */
export function importSessions(source: TextSource): ImportResult {
  const repairs = new RepairLog();
  const records = readRecords(source, repairs);
  const format = detectFormat(source.name, records);
  const sessions = runImporter(format, records, repairs);
  if (!sessions.some((session) => session.items.some((item) => item.type === "message"))) {
    throw new InputError("NO_MESSAGES", {
      message: `${source.name} is a session in the format ${format} in which nothing is said: ${records.length} ${records.length === 1 ? "record" : "records"}, no message.`,
      hint: "Give a session that was used; this one ended before its first message.",
    });
  }
  const notRead = addNotRead(source.notRead, repairs.notRead);
  const ofFile = [...(source.repairs ?? []), ...repairs.list()];
  const all = [...ofFile, ...sessions.flatMap((session) => session.repairs)];
  return {
    format,
    // What is wrong with the file may concern any of its sessions, so it is told with each of them.
    sessions: sessions.map((session) => ({ ...session, repairs: [...ofFile, ...session.repairs], notRead })),
    repairs: all,
    notRead,
  };
}

function runImporter(
  format: FormatName,
  records: readonly SourceRecord[],
  repairs: RepairLog,
): readonly ImportedSession[] {
  switch (format) {
    case "claude-code":
      return [importClaudeCode(records, repairs)];
    case "codex":
      return [importCodex(records, repairs)];
    case "copilot":
      return [importCopilot(records, repairs)];
    case "pi":
      return [importPi(records, repairs)];
    case "openai-chat":
      return importOpenAIChat(records, repairs);
    case "anthropic-messages":
      return importAnthropicMessages(records, repairs);
    case "opencode":
      return importOpencode(records, repairs);
    case "gemini-cli":
      return [importGeminiCli(records, repairs)];
    case "swe-agent":
      return importSweAgent(records, repairs);
    case "mini-swe-agent":
      return importMiniSweAgent(records, repairs);
    case "openhands":
      return importOpenhands(records, repairs);
  }
}
