/**
 * Definitions of tools as a counter gets them: the JSON that is sent.
 */
import { parseBounded } from "../../../formats/parse-bounded.ts";

/** The definitions; none where the text holds no list. @internal */
export function toolDefinitions(tools: string | undefined): readonly unknown[] {
  const parsed = tools === undefined ? undefined : parseBounded(tools);
  return parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
}
