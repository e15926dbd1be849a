/**
 * The events in which Copilot says that it compacted, shortened or cleared its context.
 */
import { asNumber, asString } from "../../base/json/json.ts";
import { present } from "../shared/fields.ts";
import type { ImportedBoundary } from "../shared/imported-session.ts";
import type { CopilotRecord } from "./copilot-record.ts";

/** The boundary; `undefined` where nothing was changed after all. @internal */
export function copilotBoundary({ type, data, id, at, line }: CopilotRecord): ImportedBoundary | undefined {
  const place = present({ hostId: id, at, line });
  if (type === "session.context_cleared") return { type: "boundary", trigger: "clear", ...place };
  if (type === "session.truncation") {
    // It is written for every request; only where something was dropped is it a boundary.
    if ((asNumber(data["messagesRemovedDuringTruncation"]) ?? 0) <= 0) return undefined;
    const preTokens = asNumber(data["preTruncationTokensInMessages"]);
    const postTokens = asNumber(data["postTruncationTokensInMessages"]);
    return { type: "boundary", trigger: "auto", preTokens, postTokens, ...place };
  }
  if (data["success"] !== true) return undefined;
  const summary = asString(data["summaryContent"]);
  const trigger = data["trigger"];
  return {
    type: "boundary",
    trigger: trigger === "manual" ? "manual" : typeof trigger === "string" ? "auto" : "unknown",
    preTokens: asNumber(data["preCompactionTokens"]),
    postTokens: asNumber(data["postCompactionTokens"]),
    summary: summary === "" ? undefined : summary,
    ...place,
  };
}
