/**
 * Calls of server tools that wait for their answer, and what their programs made.
 *
 * The provider answers such a call in the same response. If the response also has calls that the host answers, it goes on
 * after their results and answers in the next response. A program (`code_execution`) may call the host's tools in several
 * responses; such a call names it as its `caller`. If the answer never came, the call is hidden, and nothing may name it.
 *
 * Source: Anthropic docs, "Handle tool calls" and "Programmatic tool calling".
 */
import { type ContentBlock, programOf } from "./blocks.ts";
import type { BlockForm } from "./edits.ts";

/** The place of a block in the window. */
export type CallPlace = Pick<BlockForm, "seq" | "insertedBy" | "block">;

/** A block that a server tool's program made. */
export interface MadeByProgram extends CallPlace {
  shown: ContentBlock;
  /** The call of the program, while it is open. */
  readonly program: ServerUse | undefined;
}

/** A server tool's call that the provider has not answered yet. */
export interface ServerUse {
  readonly place: CallPlace;
  readonly made: MadeByProgram[];
  /** True if an earlier response than the newest one has it. */
  isCarried: boolean;
}

/** The server tools' calls of a response. */
interface ServerUses {
  readonly serverUses: ReadonlyMap<string, ServerUse>;
  /** Those that it answers. */
  readonly serverAnswers: ReadonlySet<string>;
}

/**
 * Returns the server tools' calls that the next response may answer. `hostCalls` are the newest response's calls, which
 * the host answers first. A call of an earlier response waits only if its program made one of them.
 */
export function waitingUses(
  { serverUses }: ServerUses,
  hostCalls: readonly { readonly made: MadeByProgram | undefined }[],
): ReadonlySet<ServerUse> {
  if (serverUses.size === 0) return new Set();
  const calling = new Set(hostCalls.map(({ made }) => made?.program));
  const isWaiting = (use: ServerUse): boolean => (use.isCarried ? calling.has(use) : hostCalls.length > 0);
  return new Set([...serverUses.values()].filter(isWaiting));
}

/** Returns the forms that hide a server tool's call, and that no longer name it in what its program made. */
export function formsWithout({ place, made }: ServerUse): readonly BlockForm[] {
  const named = made.filter(({ shown }) => programOf(shown) !== undefined);
  return [
    place,
    ...named.map(({ shown, program: _, ...form }) => ({ ...form, shown: withoutCaller(shown) })),
  ];
}

/** Adds a block that a program made to the program's call. `made` is absent if the response has no such call. */
export function programFor(
  block: ContentBlock,
  place: CallPlace,
  { serverUses, serverAnswers }: ServerUses,
): { readonly program?: string; readonly made?: MadeByProgram } {
  const program = programOf(block);
  if (program === undefined) return {};
  const use = serverUses.get(program);
  if (use === undefined && !serverAnswers.has(program)) return { program };
  const made: MadeByProgram = { ...place, shown: block, program: use };
  use?.made.push(made);
  return { program, made };
}

export function withoutCaller(block: ContentBlock): ContentBlock {
  const { caller: _, ...rest } = block as ContentBlock & { readonly caller?: unknown };
  return rest as ContentBlock;
}
