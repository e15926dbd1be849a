/**
 * What an observer is told: every edit and what it cost, every repair, every call, every damage
 * found, as data. Nothing that changes what the model sees happens without one of these.
 */

import type { LogDamage } from "../ports/session-store.ts";
import type { LayerEdit, RepairReason } from "../transcript/edits.ts";

export type SessionEvent =
  | {
      readonly type: "layer";
      readonly seq: number;
      readonly layer: LayerEdit["kind"];
      readonly edit: LayerEdit;
    }
  | {
      readonly type: "offloaded";
      readonly seq: number;
      readonly block: number;
      readonly bytes: number;
      readonly freedTokens: number;
    }
  | { readonly type: "repair"; readonly seq: number; readonly reason: RepairReason; readonly subject: string }
  | { readonly type: "undone"; readonly seq: number; readonly editSeq: number }
  | { readonly type: "rewound"; readonly seq: number; readonly toSeq: number }
  | {
      readonly type: "host-edit";
      readonly seq: number;
      readonly hiddenMessages: number;
      readonly reason: string;
    }
  | {
      readonly type: "call";
      readonly seq: number;
      readonly model: string;
      readonly tokens: number;
      readonly source: string;
    }
  | { readonly type: "invariant-broken"; readonly rule: string; readonly message: number }
  | {
      readonly type: "useless-compaction";
      readonly freedTokens: number;
      readonly targetTokens: number;
      readonly failures: number;
    }
  | { readonly type: "damage"; readonly damage: LogDamage };

export interface SessionObserver {
  /** Called in the order of the log. What it throws is not caught: an observer must not fail. */
  onEvent(event: SessionEvent): void;
}
