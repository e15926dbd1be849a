/**
 * Numbers as people read them: `53.4K`, `1,204`, `4.2 MB`, `$0.31`, `0.31 ms`.
 */

/** Tokens to three digits: `950`, `53.4K`, `412K`, `1.23M`. */
export function formatTokens(tokens: number): string {
  const rounded = Math.round(tokens);
  if (Math.abs(rounded) < 1_000) return String(rounded);
  // 999,950 would round to 1000K.
  if (Math.abs(rounded) < 999_500) return `${threeDigits(rounded / 1_000)}K`;
  return `${threeDigits(rounded / 1_000_000)}M`;
}

/** A whole number with its thousands apart. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun: `1 call`, `214 calls`. */
export function formatQuantity(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** An amount in $; `isAtLeast` if it leaves out calls whose usage is not known. */
export function formatUsd(
  usd: number,
  { digits = 2, isAtLeast = false }: { readonly digits?: number; readonly isAtLeast?: boolean } = {},
): string {
  const smallest = 10 ** -digits;
  // An amount that is not 0 is not shown as 0.
  const isTiny = usd > 0 && usd < smallest / 2;
  if (isTiny) return isAtLeast ? "more than $0" : `<$${smallest.toFixed(digits)}`;
  return `${isAtLeast ? "at least " : ""}$${usd.toFixed(digits)}`;
}

/** Bytes in decimal units, as disks are sold. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${threeDigits(bytes / 1_000)} KB`;
  if (bytes < 999_500_000) return `${threeDigits(bytes / 1_000_000)} MB`;
  return `${threeDigits(bytes / 1_000_000_000)} GB`;
}

/** A duration: `0.31 ms`, `47 ms`, `8.2 s`. */
export function formatMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Milliseconds without meaningless digits. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Lines or calls as people list them: `1–3, 7`. Numbers rise. */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last.to + 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
}

/** A share in percent, with one decimal if it is small. */
export function formatShare(share: number): string {
  const percent = share * 100;
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** The value below which `share` of the values lie (nearest rank); 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}

function threeDigits(value: number): string {
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  const text = value.toFixed(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
