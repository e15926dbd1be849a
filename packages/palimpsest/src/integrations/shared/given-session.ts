/**
 * The session that a host hands to an adapter. The object that makes sessions is refused in its place: an adapter would
 * fail later, in the middle of a framework's loop, or make a session for each request.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { OptionError } from "../../base/errors.ts";

/** Returns true for a session of an agent, as far as adapters use it. @internal */
export function isSession(value: unknown): value is AgentSession {
  return typeof value === "object" && value !== null && "prepare" in value && "recover" in value;
}

/** Returns true for what `createPalimpsest` makes, and for other makers of sessions. @internal */
export function makesSessions(value: unknown): boolean {
  return typeof (value as { readonly create?: unknown } | null | undefined)?.create === "function";
}

/** An argument, and the call in which it is right. */
interface GivenSession {
  /** The function that was called. */
  readonly of: string;
  /** The arguments, with `$` in the place of the session. */
  readonly call: string;
}

/**
 * Returns the session.
 *
 * @throws `OptionError` for anything else, with the call that is right
 * @internal
 */
export function givenSession(given: unknown, { of, call }: GivenSession): AgentSession {
  if (isSession(given)) return given;
  throw notASession(`\`${of}\` got ${inWords(given)}, not a session.`, { of, call });
}

/** The same; a function that finds the session is called, and its session is looked at, when one is needed. @internal */
export function sessionFinder<Where>(
  given: unknown,
  right: GivenSession,
): (where: Where) => Promise<AgentSession> {
  if (typeof given === "function")
    return async (where) => givenSession(await (given as (where: Where) => unknown)(where), right);
  const session = givenSession(given, right);
  return async () => session;
}

/** Refuses what cannot run a session's tools. @internal */
export function checkRunner(given: unknown, right: GivenSession): void {
  const { runTool } = (given ?? {}) as { readonly runTool?: unknown };
  if (typeof runTool !== "function")
    throw notASession(`\`${right.of}\` got ${inWords(given)}, not a session.`, right);
}

/** @internal */
export function notASession(message: string, { of, call }: GivenSession): OptionError {
  const right = call.replace("$", 'await palimpsest.session("my-agent")');
  return new OptionError({ message, hint: `Pass one of \`createPalimpsest\`: ${of}(${right}).` });
}

function inWords(value: unknown): string {
  if (makesSessions(value)) return "the object that makes sessions";
  if (value === undefined || value === null) return String(value);
  if (value instanceof Promise) return "a promise, which is not awaited";
  return typeof value === "object" ? "an object without `prepare` and `recover`" : `a ${typeof value}`;
}
