/**
 * Offload by usage: above the gate, large blocks outside the recent tail take their preview form.
 *
 * It is the gentlest rewrite of old messages: head, tail and pointer of each block stay. The user's
 * own words are left alone. Blocks that are already shown in another form are left to the next layer,
 * because a preview of a preview would tell wrong sizes.
 */

import { finish, type Steps } from "../../../base/steps.ts";
import type { ContentBlock } from "../../../transcript/blocks.ts";
import type { BlockForm, LayerEdit } from "../../../transcript/edits.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { secretsInSteps } from "../../../transcript/without-secrets.ts";
import { shrinkBlock } from "../../preview/shrink-block.ts";
import { type Measure, recentTailStart } from "../../shared/measure.ts";
import { pinnedPlaces } from "../../shared/pins.ts";
import { formatPointer, type HistoryAccess } from "../../shared/pointer.ts";
import {
  type HistoryState,
  mayRewriteHistory,
  meetsRewriteThreshold,
  type RewriteThreshold,
  type UsageInput,
} from "../../shared/rewrite-rule.ts";
import { userWordsOf } from "../../shared/user-words.ts";

/** When old blocks take their preview form, in tokens. `offloadPolicy` makes the policy of a window of a given size. */
export interface OffloadPolicy extends HistoryState, RewriteThreshold, HistoryAccess {
  /** The window's size from which on this layer acts. */
  readonly gateTokens: number;
  /** Blocks above this get their preview form. */
  readonly blockTokens: number;
  /** The size of such a block's preview. */
  readonly previewTokens: number;
  /** Newest part of the window that is left alone. */
  readonly recentTailTokens: number;
}

/** Plans the edit, or returns `undefined` below the gate and where nothing is gained. */
export function planOffloadByUsage(input: UsageInput, policy: OffloadPolicy): LayerEdit | undefined {
  return finish(offloadByUsageInSteps(input, policy));
}

/** The same in steps. @internal */
export function* offloadByUsageInSteps(
  { visible, usedTokens, measure }: UsageInput,
  policy: OffloadPolicy,
): Steps<LayerEdit | undefined> {
  if (usedTokens < policy.gateTokens || !mayRewriteHistory(policy)) return undefined;

  const pinned = pinnedPlaces(policy.pins);
  const old = visible.slice(0, recentTailStart(visible, policy.recentTailTokens, measure));
  const large = old
    .filter((message) => message.insertedBy === undefined)
    .flatMap((message) => {
      const { seq, blocks } = message;
      const large = blocks.filter(
        (block) => isLarge(block, policy, measure) && !pinned.has({ seq, block: block.index }),
      );
      const words = large.length === 0 ? new Set() : wordsIn(message);
      return large.filter(({ block }) => !words.has(block)).map((shown) => ({ seq, shown }));
    });
  // Previews are dear to make: not where hiding all of it would free too little.
  const mostTokens = large.reduce((sum, { shown }) => sum + measure(shown.block), 0);
  if (!meetsRewriteThreshold({ usedTokens, freedTokens: mostTokens }, policy)) return undefined;

  const planned: OffloadedForm[] = [];
  for (const { seq, shown } of large) {
    yield* secretsInSteps(shown.block);
    const form = planBlock(seq, shown, policy, measure);
    if (form !== undefined) planned.push(form);
    yield;
  }
  const freedTokens = planned.reduce((sum, form) => sum + form.freedTokens, 0);
  if (!meetsRewriteThreshold({ usedTokens, freedTokens }, policy)) return undefined;

  return {
    kind: "offload",
    reason: "usage",
    freedTokens: Math.round(freedTokens),
    effect: { forms: planned.map(({ form }) => form) },
  };
}

/** The blocks of a message that hold the user's own words. */
function wordsIn({ role, origin, blocks }: VisibleMessage): ReadonlySet<ContentBlock> {
  const content = blocks.map(({ block }) => block);
  return new Set(userWordsOf({ role, origin, content }).map(({ block }) => content[block]!));
}

function isLarge({ block, form }: VisibleBlock, { blockTokens }: OffloadPolicy, measure: Measure): boolean {
  return form === "original" && measure(block) > blockTokens;
}

interface OffloadedForm {
  readonly form: BlockForm;
  readonly freedTokens: number;
}

function planBlock(
  seq: number,
  { index, block, blob }: VisibleBlock,
  { previewTokens, hasHistoryTools, pathOf }: OffloadPolicy,
  measure: Measure,
): OffloadedForm | undefined {
  const pointer = formatPointer({ seq, block: index });
  const access = { hasHistoryTools, pathOf };
  const shown = shrinkBlock(block, { budgetTokens: previewTokens, pointer, ...access }, measure);
  if (shown === undefined) return undefined;
  const blobField = blob === undefined ? {} : { blob };
  return { form: { seq, block: index, shown, ...blobField }, freedTokens: measure(block) - measure(shown) };
}
