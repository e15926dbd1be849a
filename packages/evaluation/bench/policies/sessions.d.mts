import type { ImportedSession, importFile } from "palimpsest/formats";
import type { trajectoryOf } from "palimpsest-testing/internal";

/** The functions that measure a recorded session. */
export interface SessionTools {
  readonly importFile: typeof importFile;
  readonly trajectoryOf: typeof trajectoryOf;
  readonly mainModel: (session: ImportedSession) => string;
  readonly tokenizerRatio: (model: string) => number;
}

/** A long recorded session without its messages. */
export interface ListedSession {
  readonly path: string;
  readonly name: string;
  readonly model: string;
  readonly group: string;
  readonly half: "even" | "odd";
  readonly tokens: number;
  readonly fixedTokens: number;
  readonly requests: number;
}

export function listSessions(
  corpora: string | readonly string[],
  half: "even" | "odd" | "all",
  tools: SessionTools,
): Promise<readonly ListedSession[]>;
