/** What something that was thrown says of itself. It may be anything: an error, a text, an object that has no words. */
export function errorMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    // It has no text of its own, or throws when it is asked for it.
    return "something was thrown that says nothing of itself";
  }
}

/** The platform's code of an error (`ENOSPC` …), if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
