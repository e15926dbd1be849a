/** A replayed session in which everything held. */
import type { ReplayedSession } from "#replay/measure/replay-json.ts";

const NONE = { edits: 0, freedTokens: 0, reasons: {} };

export function aReplayed(changed: Partial<ReplayedSession> = {}): ReplayedSession {
  return {
    file: "harbour.jsonl",
    source: {
      format: "claude-code",
      sessionId: "s1",
      entries: 900,
      messages: 276,
      toolCalls: 206,
      tokens: 313_490,
      fixedTokens: 0,
    },
    window: {
      tokens: 64_000,
      effectiveTokens: 57_600,
      autoCompactAtTokens: 53_440,
      model: "claude-opus-4-5",
      editSafety: "permissive",
      policy: "faithful",
    },
    prompt: { source: "billed", tokens: 5_000 },
    calls: 3,
    peakTokens: 46_228,
    overflows: 0,
    fits: true,
    layers: {
      offload: { edits: 36, freedTokens: 182_771, reasons: { usage: 35, arrival: 1 } },
      microcompact: NONE,
      collapse: NONE,
      extractive: { edits: 2, freedTokens: 66_608, reasons: { threshold: 1, rent: 1 } },
      full: NONE,
      "session-memory": NONE,
      reactive: NONE,
      peel: NONE,
      "provider-clear": NONE,
    },
    invariants: { checked: 6, broken: 0 },
    lossless: { blocks: 775, recovered: 775 },
    rebuild: { checked: 3, different: 0 },
    estimator: { calls: 221, medianError: 0.0001, p95Error: 0.0105 },
    repairs: 0,
    notRead: { records: 0, bytes: 0, isCutOff: false },
    bytesWritten: 1_663_075,
    ms: { prepareP50: 0.221, prepareP99: 12.3, total: 1_200 },
    ...changed,
  };
}
