/**
 * Patterns of marks within a key that are not seen: hidden characters, and a terminal's sequences for colors and links. As
 * they are, and as JSON and programs write them.
 *
 * Sources: Unicode, `DerivedCoreProperties.txt` (Default_Ignorable_Code_Point) and the general category Cc; ECMA-48 for
 * the sequences of a terminal, and the hyperlinks of VTE and iTerm2 (OSC 8).
 */

/** Characters of the first plane, except the ends of lines, and the half by which the hidden ones of the last begin. For a class of characters. */
export const UNSEEN = String.raw`\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\udb40`;

const HIDDEN = String.raw`\udb40[\udc00-\udfff]|[${UNSEEN}]`;
/** Backslashes in front of an escape: as many as JSON in JSON in JSON makes of one. */
const BACKSLASHES = String.raw`\\{1,8}`;
const TERMINAL = String.raw`(?:\x1b|${BACKSLASHES}(?:u001[bB]|x1[bB]|033|e)|${BACKSLASHES}u\{1B\})(?:\[[\d;:?]{0,24}[A-Za-z]|\][\d;]{1,9}[^\x07\x1b\\\s]{0,300}(?:\x07|\x1b\\|${BACKSLASHES}u(?:0007|\{7\}|(?:001[bB]|\{1B\})\\{1,16}(?:u005[cC])?))?)`;
/** Also as `showHidden` writes them. */
const WRITTEN_OUT = String.raw`${BACKSLASHES}(?:b|u\{[0-9A-F]{1,6}\}|u(?:00(?:0[0-8bcefBCEF]|1[\da-fA-F]|7[fF]|[aA][dD])|034[fF]|061[cC]|115[fF]|1160|180[b-fB-F]|20(?:0[b-fB-F]|2[89a-eA-E]|6[\da-fA-F])|3164|[fF][eE]0[\da-fA-F]|[fF][eE][fF]{2}|[dD][bB]40${BACKSLASHES}u[dD][c-fC-F][\da-fA-F]{2}))`;

/** One of them. */
export const UNSEEN_MARK = `${TERMINAL}|${HIDDEN}|${WRITTEN_OUT}`;
