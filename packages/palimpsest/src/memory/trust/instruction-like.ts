/**
 * Texts that speak to a model rather than of something: what an attacker would have a memory say. A table of phrases,
 * for an audit that a person reads; nothing is kept from a model by it, since whoever wants to can word it otherwise.
 *
 * Linear in the text: every pattern has bounded gaps.
 */
import { showHidden } from "../../base/text/hidden-characters.ts";

/** Words that call what a model was told before to be left alone, and the nouns for that, in several languages. */
const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|the system)\b.{0,30}\b(?:instructions?|prompts?|rules|guidelines|directions|messages?)\b/isu,
  /\b(?:new|updated|secret|hidden) (?:system )?(?:instructions?|prompt)\s{0,3}:/iu,
  /\b(?:you are (?:now|no longer)|from now on,? you (?:are|must|will|act))\b/iu,
  /\b(?:reveal|print|repeat|output|leak|exfiltrate)\b.{0,30}\b(?:system prompt|your (?:instructions|prompt)|api keys?|credentials|secrets)\b/isu,
  /\b(?:do not|don['’]t|never)\s.{0,20}\b(?:tell|inform|mention|notify|warn|ask|alert)\b.{0,20}\b(?:the )?users?\b/isu,
  /\bwithout\b.{0,20}\b(?:telling|informing|asking|notifying|alerting)\b.{0,20}\busers?\b/isu,
  /\b(?:send|post|upload|forward|submit|e-?mail|transmit|curl|wget)\b.{0,80}\b(?:https?:\/\/|[\w.+-]{1,40}@[\w-]{1,40}\.)/isu,
  /\b(?:curl|wget)\b.{0,120}\|\s{0,3}(?:ba|z)?sh\b/iu,
  /<\/?(?:system|assistant|instructions?|system-reminder)>|\[(?:system|inst)\]|<\|im_(?:start|end)\|>/iu,
  /\b(?:ignoriere|missachte|vergiss)\b.{0,40}\b(?:anweisungen|vorgaben|regeln)\b/isu,
  /\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions|consignes|règles)\b/isu,
  /\b(?:ignora|olvida|descarta)\b.{0,40}\b(?:instrucciones|reglas|istruzioni|regole|instruções|regras)\b/isu,
  /(?:игнорируй|забудь).{0,40}(?:инструкци|указани|правил)/isu,
  /(?:忽略|无视|忘记|忽視|無視).{0,20}(?:指令|指示|说明|規則|规则|提示)/su,
];

/** True if a text has a phrase of the table, hidden characters aside. */
export function readsLikeInstructions(text: string): boolean {
  const plain = showHidden(text)
    .replace(/\\u\{[0-9A-F]{1,6}\}/gi, "")
    .replace(/\s+/g, " ");
  return PATTERNS.some((pattern) => pattern.test(plain));
}
