/** The library's parts that the tables are measured with. */
interface KeptLibrary {
  readonly PersistentMemory: unknown;
  readonly inMemoryMemoryStore: unknown;
  readonly extractByModel: unknown;
  readonly extractByRules: unknown;
}

interface Row {
  readonly language: string;
  readonly kind: string;
}

export interface CorrectionResult extends Row {
  readonly older: string;
  readonly newer: string;
  readonly isFirst: boolean;
  readonly isStale: boolean;
  readonly isSuperseded: boolean;
  readonly othersSuperseded: number;
}

export interface ParallelResult extends Row {
  readonly one: string;
  readonly other: string;
  readonly isSuperseded: boolean;
  readonly isMerged: boolean;
}

export interface StatementResult extends Row {
  readonly verdict: "keep" | "learn" | "drop";
  readonly text: string;
}

export function measureCorrectionTable(
  library: KeptLibrary,
  by: "rules" | "model",
  folder?: string,
): Promise<readonly CorrectionResult[]>;
export function measureParallelFacts(
  library: KeptLibrary,
  by: "rules" | "model",
  folder?: string,
): Promise<readonly ParallelResult[]>;
export function measureStatementsByRules(
  library: Pick<KeptLibrary, "extractByRules">,
  folder?: string,
): readonly (StatementResult & { readonly kept: readonly string[] })[];
export function measureStatementsByModel(
  library: KeptLibrary,
  folder?: string,
): Promise<
  readonly (StatementResult & {
    readonly statuses: readonly string[];
    readonly refused: readonly string[];
    readonly asked: readonly unknown[];
  })[]
>;
