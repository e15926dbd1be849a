/**
 * Helpers that every benchmark needs for its figures: quantiles, growth, a table, and the machine.
 */
import { cpus, totalmem } from "node:os";

/** The value that `share` of the values do not exceed (nearest rank); NaN of nothing. */
export function quantile(values, share) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values) => quantile(values, 0.5);

/** The exponent e of cost ~ N^e between two sizes. */
export function growthExponent(small, large) {
  return Math.log(large.cost / small.cost) / Math.log(large.size / small.size);
}

/** The machine that the figures were measured on, in one line. */
export function machine() {
  const cores = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.version}, ${cores.length} × ${cores[0]?.model.trim() ?? "unknown CPU"}, ${memoryGb} GB, ${process.platform}`;
}

/** Milliseconds in three digits. */
export function ms(value) {
  if (value === undefined || Number.isNaN(value)) return "-";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Rows of cells as aligned text: the first column to the left, the others to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? String(cell).padEnd(widths[column]) : String(cell).padStart(widths[column]),
        )
        .join("  "),
    )
    .join("\n");
}
