/**
 * Errors a caller can act on: each has a code from one closed list, a message with the figures, and
 * a hint that says what to do next. Bugs are `AssertionError`s (`assert.ts`) and not in this list.
 */

/** Every code there is; `docs/reference/errors.md` has a section for each. */
export const ERROR_CODES = [
  "WINDOW_TOO_SMALL",
  "UNDO_REFUSED",
  "REWIND_REFUSED",
  "PIN_REFUSED",
  "ENTRY_NOT_FOUND",
  "RECONCILE_REFUSED",
  "SESSION_CLOSED",
  "SESSION_EXISTS",
  "SESSION_NOT_FOUND",
  "SESSION_AMBIGUOUS",
  "SESSION_UNREADABLE",
  "SESSION_TAKEN",
  "SESSION_IN_USE",
  "STORE_FAILED",
  "BLOB_MISSING",
  "NOTES_UNREADABLE",
  "MEMORY_PATH_REFUSED",
  "MEMORY_NOT_FOUND",
  "MEMORY_REFUSED",
  "INPUT_NOT_FOUND",
  "INPUT_EMPTY",
  "INPUT_UNREADABLE",
  "INPUT_TOO_LARGE",
  "FORMAT_UNKNOWN",
  "NO_MESSAGES",
  "OPTION_INVALID",
  "ABORTED",
  "PROMPT_TOO_LONG",
  "MODEL_FAILED",
  "MODEL_MISSING",
  "COMPACTION_REFUSED",
  "COMPACTION_VETOED",
  "COMPACTION_THRASHING",
  "TURN_RUNNING",
  "TASK_INVALID",
  "TASK_REFUSED",
  "TASK_NOT_FOUND",
  "TASK_ENDED",
] as const;

/** The value to branch on: `error.code` of every {@link PalimpsestError}. A code keeps its meaning from version to version; messages may change. */
export type ErrorCode = (typeof ERROR_CODES)[number];

interface ErrorDetails {
  readonly message: string;
  readonly hint: string;
  readonly cause?: unknown;
}

/** Base of every error this library throws on purpose. Branch on `code`. */
export abstract class PalimpsestError extends Error {
  abstract readonly code: ErrorCode;
  /** The next thing to do. */
  readonly hint: string;

  constructor({ message, hint, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.hint = hint;
    // What an uncaught error and most loggers print is the stack: the hint belongs where a developer looks first.
    const { stack = "" } = this;
    // The platform names the base class; programs that format stacks themselves name this one.
    const head = [`Error: ${message}`, `${this.name}: ${message}`].find((start) => stack.startsWith(start));
    if (head !== undefined) this.stack = `${this}${stack.slice(head.length)}`;
  }

  /** Name, message and hint in one line; the stack begins with it, too. `message` alone says only what happened. */
  override toString(): string {
    // A provider's own words may end without a full stop.
    const stop = /[.!?:][)"`\]]?$/.test(this.message) ? "" : ".";
    return `${this.name}: ${this.message}${stop} ${this.hint}`;
  }
}

/** The window cannot hold system prompt, tools and the newest round. */
export class WindowTooSmallError extends PalimpsestError {
  readonly code = "WINDOW_TOO_SMALL";
  /** Size of system prompt, tools and the newest round, with the margin of an estimate. */
  readonly neededTokens: number;
  /** The largest request that is sent in this window. */
  readonly availableTokens: number;
  /** System prompt and tools alone. */
  readonly fixedTokens: number;

  constructor(size: {
    readonly neededTokens: number;
    readonly availableTokens: number;
    readonly fixedTokens: number;
    readonly windowTokens: number;
    /** Nothing may be taken out: the policy is `off`. */
    readonly isUnmanaged?: boolean;
    /** False: no summary is made and no rounds collapse, `autoCompact` is off. @defaultValue true */
    readonly isAutoCompacted?: boolean;
    /** False: nor may a person compact. @defaultValue true */
    readonly mayCompact?: boolean;
    /** System prompt and tools alone are more than this, which is the most that they may take. */
    readonly mostFixedTokens?: number;
  }) {
    super(sayTooSmall(size));
    this.neededTokens = size.neededTokens;
    this.availableTokens = size.availableTokens;
    this.fixedTokens = size.fixedTokens;
  }
}

function sayTooSmall(size: ConstructorParameters<typeof WindowTooSmallError>[0]): ErrorDetails {
  const { windowTokens, availableTokens, neededTokens, fixedTokens, mostFixedTokens } = size;
  const shorter = "Use a model with a larger window, or shorten the system prompt and the tool list.";
  if (mostFixedTokens !== undefined)
    return {
      message: `System prompt and tools take ${fixedTokens} tokens of a window of ${windowTokens}; more than ${mostFixedTokens} leaves no room for a conversation.`,
      hint: shorter,
    };
  const explanation = `The window of ${windowTokens} tokens leaves ${availableTokens} for a request; `;
  if (size.mayCompact === false)
    return {
      message: `${explanation}the conversation needs ${neededTokens}, and compaction is switched off.`,
      hint: "Switch `compact` on (without `PALIMPSEST_DISABLE_COMPACT` in the environment), or use a model with a larger window.",
    };
  if (size.isUnmanaged === true)
    return {
      message: `${explanation}the whole conversation needs ${neededTokens}, and the policy \`off\` takes nothing out.`,
      hint: "Compact by hand, use another policy, or use a model with a larger window.",
    };
  if (size.isAutoCompacted === false)
    return {
      message: `${explanation}the conversation needs ${neededTokens}, and auto-compact is switched off.`,
      hint: "Compact by hand with `compact()`, switch `autoCompact` on (without `PALIMPSEST_DISABLE_AUTO_COMPACT` in the environment), or use a model with a larger window.",
    };
  return {
    message: `${explanation}system prompt and tools (${fixedTokens}) with the newest round need ${neededTokens}.`,
    hint: shorter,
  };
}

/** The session cannot do what was asked of it in its present state. */
export class SessionError extends PalimpsestError {
  readonly code:
    | "UNDO_REFUSED"
    | "REWIND_REFUSED"
    | "PIN_REFUSED"
    | "ENTRY_NOT_FOUND"
    | "RECONCILE_REFUSED"
    | "SESSION_CLOSED"
    | "NO_MESSAGES"
    | "TURN_RUNNING"
    | "ABORTED";

  constructor(code: SessionError["code"], details: ErrorDetails) {
    super(details);
    this.code = code;
  }
}

/** A background task cannot be started, or cannot do what was asked of it. */
export class TaskError extends PalimpsestError {
  readonly code: "TASK_INVALID" | "TASK_REFUSED" | "TASK_NOT_FOUND" | "TASK_ENDED";

  constructor(code: TaskError["code"], details: ErrorDetails) {
    super(details);
    this.code = code;
  }
}

/** A store could not keep or find something. */
export class StoreError extends PalimpsestError {
  readonly code:
    | "SESSION_EXISTS"
    | "SESSION_NOT_FOUND"
    | "SESSION_UNREADABLE"
    | "SESSION_TAKEN"
    | "SESSION_IN_USE"
    | "STORE_FAILED"
    | "BLOB_MISSING"
    | "NOTES_UNREADABLE";

  constructor(code: StoreError["code"], details: ErrorDetails) {
    super(details);
    this.code = code;
  }
}

/** A memory could not be read, changed or found as it was asked for; nothing was changed. */
export class MemoryError extends PalimpsestError {
  readonly code: "MEMORY_PATH_REFUSED" | "MEMORY_NOT_FOUND" | "MEMORY_REFUSED";

  constructor(code: MemoryError["code"], details: ErrorDetails) {
    super(details);
    this.code = code;
  }
}

/** The given name matches more than one session. */
export class AmbiguousSessionError extends PalimpsestError {
  readonly code = "SESSION_AMBIGUOUS";
  /** Ids of the sessions that it may mean, those with the latest activity first. */
  readonly candidates: readonly string[];

  constructor(candidates: readonly string[], details: ErrorDetails) {
    super(details);
    this.candidates = candidates;
  }
}

/** A file or text from outside is not something that can be read. */
export class InputError extends PalimpsestError {
  readonly code:
    | "INPUT_NOT_FOUND"
    | "INPUT_EMPTY"
    | "INPUT_UNREADABLE"
    | "INPUT_TOO_LARGE"
    | "FORMAT_UNKNOWN"
    | "NO_MESSAGES";

  constructor(code: InputError["code"], details: ErrorDetails) {
    super(details);
    this.code = code;
  }
}

/** An option has a value that cannot be used. */
export class OptionError extends PalimpsestError {
  readonly code = "OPTION_INVALID";
}

/** The provider refused the request as too long, and every recovery has been tried once. */
export class PromptTooLongError extends PalimpsestError {
  readonly code = "PROMPT_TOO_LONG";
  /** Size of the request, as the provider counted it where it said so. */
  readonly promptTokens: number;
  /** The provider's limit, as far as it is known. */
  readonly limitTokens: number | undefined;

  constructor(size: {
    readonly promptTokens: number;
    readonly limitTokens?: number | undefined;
    readonly reply: string;
    readonly cause?: unknown;
  }) {
    const limit = size.limitTokens === undefined ? "" : `; the model takes ${size.limitTokens}`;
    super({
      message: `The provider refused the request of about ${size.promptTokens} tokens as too long${limit}, also after it was compacted. It said: ${size.reply}`,
      hint: "Shorten the newest message, the system prompt or the tools, or use a model with a larger window.",
      cause: size.cause,
    });
    this.promptTokens = size.promptTokens;
    this.limitTokens = size.limitTokens;
  }
}

/** A call of the model failed, and the session can do nothing about it. */
export class ModelError extends PalimpsestError {
  readonly code = "MODEL_FAILED";
  /** The failure, as `ModelFailureKind` names it: `throttled`, `overloaded`, `network` … */
  readonly kind: string;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;
  /** Time that the provider asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    failure: {
      readonly kind: string;
      readonly status?: number | undefined;
      readonly retryAfterMs?: number | undefined;
    },
    details: ErrorDetails,
  ) {
    super(details);
    this.kind = failure.kind;
    this.status = failure.status;
    this.retryAfterMs = failure.retryAfterMs;
  }
}

/** A compaction that was asked for, or was due, did not come about. */
export class CompactionError extends PalimpsestError {
  readonly code: "COMPACTION_REFUSED" | "COMPACTION_VETOED" | "COMPACTION_THRASHING" | "MODEL_MISSING";

  constructor(code: CompactionError["code"], details: ErrorDetails) {
    super(details);
    this.code = code;
  }
}

/** The message of a thrown value, which may be anything: an error, a text, an object without a text. */
export function errorMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    // It has no text, or throws when it is asked for it.
    return "something was thrown that says nothing of itself";
  }
}

/** The platform's code of an error (`ENOSPC` …), if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
