/**
 * A plan of faults that a seed decides: random calls fail in random ways, the same ones every time.
 */
import { assert } from "palimpsest/internal";
import { answer, callTool, refuse, type ScriptedRequest, type ScriptStep } from "./script.ts";

/** Choices of a seeded plan. */
export type SeededFault =
  | "rate-limit"
  | "server-error"
  | "overloaded"
  | "overloaded-mid-stream"
  | "hang"
  | "cut"
  | "not-json"
  | "wrong-shape"
  | "html"
  | "prompt-too-long"
  | "prompt-too-long-without-numbers"
  | "body-too-large"
  | "empty-answer"
  | "refusal"
  | "stray-tool-call"
  | "output-limit";

const STEPS: Readonly<Record<SeededFault, (request: ScriptedRequest) => ScriptStep>> = {
  "rate-limit": () => ({ fault: "rate-limit", retryAfterSeconds: 0 }),
  "server-error": () => ({ fault: "server-error" }),
  overloaded: () => ({ fault: "overloaded" }),
  "overloaded-mid-stream": () => ({ fault: "overloaded", isMidStream: true }),
  hang: () => ({ fault: "hang" }),
  cut: () => ({ fault: "cut" }),
  "not-json": () => ({ fault: "garbage", kind: "not-json" }),
  "wrong-shape": () => ({ fault: "garbage", kind: "wrong-shape" }),
  html: () => ({ fault: "garbage", kind: "html" }),
  "prompt-too-long": () => ({ fault: "prompt-too-long" }),
  "prompt-too-long-without-numbers": () => ({ fault: "prompt-too-long", hasNumbers: false }),
  "body-too-large": () => ({ fault: "body-too-large" }),
  "empty-answer": () => answer([]),
  refusal: () => refuse(),
  "stray-tool-call": ({ toolNames }) => callTool(toolNames[0] ?? "unknown_tool"),
  "output-limit": () => answer("An answer that was going to be much", { stopReason: "output-limit" }),
};

/** All of them but `hang`, which takes as long as the client is patient. */
const USUAL_KINDS = (Object.keys(STEPS) as SeededFault[]).filter((kind) => kind !== "hang");

/**
 * Makes a plan for the option `faults`: about `share` of the calls fail, in one of the `kinds`.
 *
 * @defaultValue of `kinds`: all of them except `hang`
 */
export function seededFaults({
  seed,
  share,
  kinds = USUAL_KINDS,
}: {
  readonly seed: number;
  /** Between 0 and 1. */
  readonly share: number;
  readonly kinds?: readonly SeededFault[];
}): (request: ScriptedRequest) => ScriptStep | undefined {
  assert(share >= 0 && share <= 1 && kinds.length > 0, "a share is between 0 and 1, of at least one kind");
  const next = seededShares(seed);
  return (request) => {
    // Two numbers a call, so that what a call draws does not depend on whether another failed.
    const [chance, choice] = [next(), next()];
    const kind = kinds[Math.floor(choice * kinds.length)];
    return chance < share && kind !== undefined ? STEPS[kind](request) : undefined;
  };
}

/** Mulberry32: numbers from 0 up to 1. */
function seededShares(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
