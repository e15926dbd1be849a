/**
 * `palimpsest compact [SESSION]`: makes room in a stored session, as `/compact` does in a chat. Without a model the
 * summary is made from the log, and nothing is asked of anyone.
 */
import { resolve } from "node:path";
import { createPalimpsest, functionModel, type ModelClient, OptionError } from "palimpsest";
import { parseWindowSize } from "../../command-line/window-option.ts";
import { findLastCall, foldWindow, windowOf, withLog } from "../../stored-sessions/read-session.ts";
import {
  LATEST_ARGUMENT,
  openHomeOf,
  type PlaceCall,
  type PlaceFlags,
  sessionCommand,
} from "../../stored-sessions/session-place.ts";
import { compactedWords } from "../../terminal/compacted-words.ts";
import { formatTokens } from "../../terminal/figures.ts";
import type { CliContext } from "../../terminal/terminal.ts";
import { openModel } from "../models/open-model.ts";
import { readChatSettings } from "../settings/chat-settings.ts";

interface CompactFlags extends PlaceFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly window?: number;
  readonly instructions?: string;
}

export const compactCommand = sessionCommand(
  {
    name: "compact",
    description: "make room in a session now: a summary in place of its old messages",
    args: LATEST_ARGUMENT,
    options: [
      [
        "--model <name>",
        "model that writes the summary, as of palimpsest chat (default: none; it is made from the log)",
      ],
      ["--base-url <url>", "server that speaks OpenAI's Chat Completions and has the model"],
      ["--instructions <text>", "what the summary shall look after; needs --model"],
      [
        "--window <tokens>",
        "window of the session's model, such as 64k (default: that of its last call)",
        parseWindowSize,
      ],
    ],
    examples: [
      "compact",
      "compact 3f2a91c0 --json",
      'compact 3f2a91c0 --model claude-opus-5-5 --instructions "Keep every measured figure."',
    ],
    exitCodes: { 1: "it failed: another program has the session, or nothing would be gained" },
    notes: [
      "The session keeps every message; the next call finds the summary, recent files and open tasks in their place.",
      "palimpsest context shows what fills the window, before and after. In a chat, /undo takes a compaction back.",
    ],
  },
  async ({ place, flags, context }: PlaceCall<CompactFlags>, which: string | undefined) => {
    if (flags.instructions !== undefined && flags.model === undefined)
      throw new OptionError({
        message: "--instructions are for a model, and there is none.",
        hint: "Name one with --model, or leave the instructions out: a summary from the log follows none.",
      });
    const { sessionId, usual, call } = await withLog(place, which, async (log) => {
      const { projection, tracker } = await foldWindow(log);
      if (projection.visible.length === 0) throw nothingToCompact();
      const answered = projection.visible.findLast((message) => message.model !== undefined)?.model;
      return {
        sessionId: log.info.sessionId,
        usual: projection.callSeqs.length > 0 ? tracker.ledger.model : (answered ?? tracker.ledger.model),
        call: await findLastCall(log, projection),
      };
    });
    const home = flags.folder === undefined ? openHomeOf(flags, context) : undefined;
    const client = flags.model === undefined ? silentModel(usual) : await modelOf(flags, context);
    const limit = flags.window ?? windowOf(call, client.model);
    const palimpsest = createPalimpsest({
      ...(home === undefined ? { folder: resolve(context.folder, flags.folder ?? ".") } : { home }),
      model: client,
      background: "off",
      window: {
        ...(limit === undefined ? {} : { windowTokens: limit }),
        ...(flags.model === undefined ? { disabledLayers: ["full"] } : {}),
      },
    });
    try {
      const session = await palimpsest.open(sessionId);
      const { instructions } = flags;
      const done = await session.compact({
        signal: context.signal,
        ...(instructions === undefined ? {} : { instructions }),
      });
      const { usedTokens, windowTokens } = session.context();
      const { freedTokens, writtenBy } = done;
      return {
        json: {
          ...{ sessionId, freedTokens: Math.round(freedTokens), usedTokens, windowTokens },
          ...(writtenBy === undefined ? {} : { writtenBy }),
          edits: done.edits.map(({ seq, edit }) => ({ seq, layer: edit.kind, reason: edit.reason })),
        },
        out: [
          compactedWords(done),
          `${formatTokens(usedTokens)} of ${formatTokens(windowTokens)} tokens are in use.`,
        ],
      };
    } finally {
      await palimpsest.close();
      await home?.close();
    }
  },
);

/** The session's model, by whose rules its window is measured. It is asked nothing. */
function silentModel(model: string): ModelClient {
  return functionModel(
    async () => {
      throw new OptionError({ message: "No model was named.", hint: "Name one with --model." });
    },
    { model },
  );
}

async function modelOf(
  { model, baseUrl, ...place }: CompactFlags,
  context: CliContext,
): Promise<ModelClient> {
  const { folder, workingCopy } = openHomeOf(place, context);
  const settings = await readChatSettings({ home: folder, workspace: workingCopy });
  const packageFolders = [folder, ...(settings.isTrusted ? [workingCopy] : [])];
  const { client } = await openModel(model, {
    ...{ env: context.env, providers: settings.providers, baseUrl, packageFolders },
    onRetry: () => undefined,
  });
  return client;
}

function nothingToCompact(): OptionError {
  return new OptionError({
    message: "The session has no messages, so there is nothing to compact.",
    hint: "palimpsest sessions list shows the sessions of this folder.",
  });
}
