/**
 * Caches the rendered form of messages and blocks, and what else every call asks about all of them. Neither ever changes, and every call renders the whole conversation
 * again, so all but the newest have been rendered before.
 *
 * Every call gets the same cached objects, so they are frozen: code that adds a field (a cache mark) copies the object.
 */
import type { RequestMessage } from "../../transcript/window.ts";

/** Returns `render` with a cache; an entry lives as long as the rendered object. @internal */
export function renderOnce<Source extends object, Output extends object>(
  render: (source: Source) => readonly Output[],
): (source: Source) => readonly Output[] {
  const rendered = new WeakMap<Source, readonly Output[]>();
  return (source) => {
    const known = rendered.get(source);
    if (known !== undefined) return known;
    const outputs = render(source);
    for (const output of outputs) freezeOwn(output, source);
    rendered.set(source, outputs);
    return outputs;
  };
}

/** Freezes what was made here. An opaque block's value is the caller's own object and stays as it is. */
function freezeOwn(output: object, source: object): void {
  if (output === source || output === (source as { readonly value?: unknown }).value) return;
  const content = (output as { readonly content?: unknown }).content;
  if (Array.isArray(content) && content !== (source as { readonly content?: unknown }).content)
    Object.freeze(content);
  Object.freeze(output);
}

interface Seen<Finding> {
  readonly messages: readonly RequestMessage[];
  readonly findings: readonly Finding[];
}

/**
 * Returns `look` for all messages of a conversation that grows. What was found stays right as long as the conversation begins
 * with the same objects: to compare them is quicker than to look each of them up. @internal
 */
export function eachOnce<Finding>(
  look: (message: RequestMessage) => Finding,
): (messages: readonly RequestMessage[]) => readonly Finding[] {
  const seen = new WeakMap<RequestMessage, Seen<Finding>>();
  return (messages) => {
    const [first] = messages;
    if (first === undefined) return [];
    const last = seen.get(first);
    let same = 0;
    if (last !== undefined)
      while (same < last.messages.length && last.messages[same] === messages[same]) same++;
    const findings = last === undefined ? [] : last.findings.slice(0, same);
    for (let index = same; index < messages.length; index++) findings.push(look(messages[index]!));
    // A copy: the caller may go on with the list.
    seen.set(first, { messages: messages.slice(), findings });
    return findings;
  };
}
