/**
 * Replays a recorded session through a usage ledger, as an engine would use it, and compares each
 * prediction with what was billed a moment later. The code under test is handed in, so that the
 * bench (built package) and the tests (sources) measure the same thing in the same way.
 */

/** Calls that calibrate before increments are judged, and the smallest increment that is judged. */
export const WARM_UP_CALLS = 10;
export const SMALLEST_INCREMENT = 200;

/**
 * @returns one `context` error per call that had an anchor, and one `increment` error per clean
 * increment, both signed and relative (0.1 = 10 % too high).
 */
export function measureSession(session, { UsageLedger, estimateMessage }) {
  const ledger = new UsageLedger({ model: session.calls[0].model });
  const contextErrors = [];
  const incrementErrors = [];
  let reportedBefore;
  session.calls.forEach((call, index) => {
    ledger.modelSwitched(call.model);
    const addedTokens = call.added.reduce((sum, message) => sum + estimateMessage(message), 0);
    const isCut = call.gaps.includes("boundary") || call.gaps.includes("branch");
    if (isCut) ledger.windowReplaced(addedTokens);
    else ledger.messageAdded(addedTokens);

    const predicted = ledger.figure();
    const actual = call.usage.inputTokens + call.usage.cacheReadTokens + call.usage.cacheWriteTokens;
    if (predicted.source !== "estimate") {
      contextErrors.push(predicted.tokens / actual - 1);
      const increment = actual - reportedBefore;
      const isClean = call.gaps.length === 0 && index >= WARM_UP_CALLS && increment >= SMALLEST_INCREMENT;
      if (isClean) incrementErrors.push((predicted.tokens - reportedBefore) / increment - 1);
    }

    const replyTokens = estimateMessage(call.reply);
    ledger.usageReported({ sent: ledger.requestSent(), usage: call.usage, replyTokens });
    reportedBefore = ledger.figure().tokens;
    ledger.messageAdded(replyTokens);
  });
  return { name: session.name, contextErrors, incrementErrors, ratio: ledger.ratio, padding: ledger.padding };
}

export const signedMedian = (errors) => quantile(errors, 0.5);
export const absoluteQuantile = (errors, share) => quantile(errors.map(Math.abs), share);

function quantile(values, share) {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
