/**
 * Caches the rendered form of messages and blocks. Neither ever changes, and every call renders the whole conversation
 * again, so all but the newest have been rendered before.
 *
 * Every call gets the same cached objects, so they are frozen: code that adds a field (a cache mark) copies the object.
 */

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
