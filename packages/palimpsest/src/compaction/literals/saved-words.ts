/** The words of a log as text that is stored, and read back, a layer at a time. */
import { parseJson } from "../../base/json/json.ts";
import type { Steps } from "../../base/steps.ts";
import { LogWords } from "./log-words.ts";

export function* writeWordsInSteps(words: LogWords): Steps<string> {
  const layers: string[] = [];
  for (const layer of words.saveLayers()) {
    layers.push(JSON.stringify(layer));
    yield;
  }
  return `[${layers.join()}]`;
}

/** The words that were written; `undefined` where the text is damaged. */
export function* readWordsInSteps(text: string): Steps<LogWords | undefined> {
  const saved = parseJson(text);
  yield;
  const words = new LogWords();
  return saved.ok && (yield* words.loadInSteps(saved.value)) ? words : undefined;
}
