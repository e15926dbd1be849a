/** Sessions to export, made up for tests. */
import { type ExportedMessage, SessionPresenter } from "#exporters/exported-session.ts";
import type { ContentBlock, Origin, Role } from "#transcript/blocks.ts";

export function presented(
  content: readonly ContentBlock[],
  {
    role = "user",
    origin = "user",
    isRedacted = true,
    seq = 3,
  }: {
    readonly role?: Role;
    readonly origin?: Origin;
    readonly isRedacted?: boolean;
    readonly seq?: number;
  } = {},
): ExportedMessage {
  const at = Date.UTC(2026, 10, 21, 23, 8, 32);
  return new SessionPresenter({ isRedacted }).message({ seq, role, origin, at, content });
}

/** Everything in a session can be hostile: texts, tool names, arguments, the title. */
export const HOSTILE = [
  "```\n</pre></details></script><script>alert(1)</script><img src=x onerror=alert(1)>",
  "````\n# A heading\n![x](https://evil.example/pixel)\n[link](javascript:alert(1))\n<!-- ",
  "\u001b]0;owned\u0007\u202egnp.exe\u2028--- ~~~ \r\n```\r# b",
  "\"'><svg onload=alert(1)> &lt; &amp; https://evil.example www.evil.example a@evil.example",
].join("\n");
