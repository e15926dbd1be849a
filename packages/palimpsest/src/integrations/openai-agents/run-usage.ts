/**
 * The usage of a filtered call, which the events of its agent tell before the next call is filtered.
 *
 * DESIGN. One agent serves many sessions at once, so it is listened to once, and a run is known by its context: the SDK
 * makes a new one for each run that is given none.
 */
import { isObject } from "../../base/json/json.ts";
import type { AgentsWindow, RunUsage } from "./agents-window.ts";

/** A run, as the events of its agent have it. */
interface RunContext extends RunUsage {
  readonly context?: unknown;
}

/** An agent of the SDK, as far as it is used here. */
interface EventSource {
  on?(event: string, listener: (run: RunContext) => void): unknown;
}

/** A call that is filtered: the agent that makes it, and what its run was given as its context. */
interface FilteredRun {
  readonly agent: object;
  readonly context?: unknown;
}

const EVENTS = ["agent_tool_start", "agent_handoff", "agent_end"];

/** The newest window of each run. */
const windows = new WeakMap<object, AgentsWindow>();
const watched = new WeakSet<object>();

/** Tells the window the usage of the run whose call is filtered. */
export function watchRun(window: AgentsWindow, run: FilteredRun): void {
  windows.set(keyOf(run), window);
  const { agent }: { readonly agent: EventSource } = run;
  if (watched.has(agent) || agent.on === undefined) return;
  watched.add(agent);
  for (const event of EVENTS)
    agent.on(event, ({ context, usage }) => windows.get(keyOf({ agent, context }))?.reported({ usage }));
}

/** Without an object as its context, a run is known by its agent. */
function keyOf({ agent, context }: FilteredRun): object {
  return isObject(context) ? context : agent;
}
