/** The beginning of a session on the screen: what it is, and the end of what was said earlier. */
import type { AgentSession } from "palimpsest";
import { blockText } from "palimpsest/transcript";
import { cutToColumns } from "../../terminal/columns.ts";
import { formatTokens } from "../../terminal/figures.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import { safeLine } from "../base/safe-text.ts";
import type { ViewItem } from "./chat-view.ts";

/** Messages of a resumed session that are shown again. */
const EARLIER_MESSAGES = 6;

/** The title of a session, or its id. */
export function titleOf(session: AgentSession): string {
  const { title } = session.metadata;
  return typeof title === "string" && title.trim() !== "" ? safeLine(title) : session.id;
}

/** The head of the screen: model, folder, session. */
export function greetingItem(
  agent: ChatAgent,
  { version, isResumed }: { readonly version: string; readonly isResumed: boolean },
): ViewItem {
  const { model, windowTokens } = agent.status();
  const { home, session } = agent;
  const about = [
    `${safeLine(model)}, ${formatTokens(windowTokens)} tokens`,
    safeLine(home.workingCopy),
    isResumed ? `resumed: ${titleOf(session)}` : `session ${session.id}`,
    ...(home.persistence.isOn ? [] : [`nothing is stored: ${home.persistence.reason}`]),
    "/help lists the commands",
  ];
  return {
    type: "lines",
    show: ({ columns, styles }) => [
      styles.bold(cutToColumns(`Palimpsest ${version}`, columns)),
      ...about.map((line) => styles.dim(cutToColumns(line, columns))),
    ],
  };
}

/** The end of a conversation: what the user said and what was answered. */
export function earlierItems(visible: AgentSession["visible"]): readonly ViewItem[] {
  const items = visible.flatMap(({ origin, blocks }): readonly ViewItem[] => {
    if (origin !== "user" && origin !== "assistant") return [];
    const text = blocks.flatMap(({ block }) => (block.type === "text" ? [blockText(block)] : [])).join("\n");
    if (text.trim() === "") return [];
    return origin === "user" ? [{ type: "user", text }] : [{ type: "answer", text, isContinued: false }];
  });
  return items.slice(-EARLIER_MESSAGES);
}
