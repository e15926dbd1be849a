/** A session that was replayed with a recorder, as the command does it, and its page. */

import { type ContentBlock, nodeSessions } from "palimpsest";
import { importSessions } from "palimpsest/formats";
import { blockText } from "palimpsest/transcript";
import { assemblePage, type PageData, type PageText } from "#replay/page/page-data.ts";
import { PageRecorder } from "#replay/page/page-recorder.ts";
import { type Replayed, replaySession } from "#replay/replay-session.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";

export interface ReplayedPage {
  readonly done: Replayed;
  readonly data: PageData;
  /** The blocks of a call's request, built again from the stored log. */
  readonly blocksAt: (callSeq: number) => Promise<readonly ContentBlock[]>;
}

/** Replays a recording in a window; `title` is the page's. */
export async function replayedPage(
  recording: string,
  { windowTokens, title = "A session" }: { readonly windowTokens?: number; readonly title?: string } = {},
): Promise<ReplayedPage> {
  const imported = importSessions({ name: "recording.json", text: recording }).sessions[0];
  if (imported === undefined) throw new TypeError("the recording holds no session");
  const folder = testFolder();
  const page = new PageRecorder();
  const done = await replaySession({
    file: "recording.json",
    imported,
    folder,
    windowTokens,
    model: "gpt-4o",
    page,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  if (done.type === "failed") throw new TypeError(done.result.error.message);
  const { result: figures, budget } = done;
  const data = assemblePage({ title, version: "1.2.3", figures, budget, recorded: page.finish() });
  const blocksAt = async (callSeq: number): Promise<readonly ContentBlock[]> => {
    const session = await nodeSessions({ folder }).open(done.storedAs);
    const messages = await session.windowAt(callSeq);
    await session.close();
    return messages.flatMap(({ content }) => content);
  };
  return { done, data, blocksAt };
}

/** The text that a page shows of a block that is not too long for it. */
export function shownText(block: ContentBlock): string {
  return block.type === "tool_use" ? JSON.stringify(block.input) : blockText(block);
}

export function wholeText(text: PageText): string {
  return typeof text === "string" ? text : `${text.head} … ${text.tail}`;
}
