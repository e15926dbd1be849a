/**
 * Remembers what a message or a block was rendered to. Neither ever changes, and a conversation is
 * rendered again for every call, so all but the newest have been rendered before.
 *
 * A remembered message is handed out again and again, so it is frozen: code that adds a field (a
 * cache mark) copies the object.
 */

/** `render` with a memory that lives as long as what was rendered does. @internal */
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

/** Opaque blocks are handed out as they came; they belong to their maker. */
function freezeOwn(output: object, source: object): void {
  if (output === source || output === (source as { readonly value?: unknown }).value) return;
  const content = (output as { readonly content?: unknown }).content;
  if (Array.isArray(content) && content !== (source as { readonly content?: unknown }).content)
    Object.freeze(content);
  Object.freeze(output);
}
