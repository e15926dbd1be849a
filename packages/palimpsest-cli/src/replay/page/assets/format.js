/** Numbers as people read them: the same words as in the terminal's report. */

const digits = (value) => {
  const count = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  const text = value.toFixed(count);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
};

/** Tokens to three digits: `950`, `53.4K`, `1.23M`. */
export function formatTokens(tokens) {
  const rounded = Math.round(tokens);
  if (Math.abs(rounded) < 1_000) return String(rounded);
  return Math.abs(rounded) < 999_500 ? `${digits(rounded / 1_000)}K` : `${digits(rounded / 1_000_000)}M`;
}

/** Tokens that came or went, with their sign: `+5.4K`, `−104K`. */
export function formatChange(tokens) {
  return `${tokens < 0 ? "−" : "+"}${formatTokens(Math.abs(tokens))}`;
}

/** A whole number with its thousands apart. */
export function formatCount(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun. */
export function formatQuantity(count, singular, plural = `${singular}s`) {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

export function formatBytes(bytes) {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_500 ? `${digits(bytes / 1_000)} KB` : `${digits(bytes / 1_000_000)} MB`;
}

/** A share in per cent, with one decimal if it is small; never broken across lines. */
export function formatShare(share) {
  const percent = share * 100;
  if (percent > 0 && percent < 0.05) return "<\u00a00.1\u00a0%";
  return `${percent !== 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)}\u00a0%`;
}

/** A ratio of costs: `0.33×`. */
export function formatRatio(ratio) {
  return `${ratio.toFixed(2)}×`;
}
