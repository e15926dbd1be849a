/** What tests of tasks look at. */
import type { Session } from "#session/session.ts";

/** What the engine has told the agent, a text for each message. */
export function engineTexts(session: Session): readonly string[] {
  return session.visible
    .filter(({ origin }) => origin === "engine")
    .flatMap(({ blocks }) => blocks.map(({ block }) => (block as { readonly text: string }).text));
}
