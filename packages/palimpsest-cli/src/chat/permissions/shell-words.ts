/**
 * A command line in its parts, to compare with rules. It does not parse all of a shell's language: where it cannot be sure what a line runs, it says so,
 * and no rule that allows covers the line.
 */

/** The commands of a line. */
interface CommandParts {
  /** Each command between `;`, `&&`, `||`, `|`, `&` and line ends, in one line. */
  readonly commands: readonly string[];
  /** False if it has substitutions, redirections, a comment or an open quote: the commands may then not be all that it does. */
  readonly isPlain: boolean;
}

/** Splits a command line. */
export function commandParts(line: string): CommandParts {
  const commands: string[] = [];
  let current = "";
  let quote = "";
  let isPlain = true;
  const end = (): void => {
    const command = current.replace(/\s+/g, " ").trim();
    if (command !== "") commands.push(command);
    current = "";
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (quote !== "") {
      // Escapes inside double quotes are not followed.
      if (quote === '"' && (character === "\\" || isSubstitution(character, next))) isPlain = false;
      if (character === quote) quote = "";
      current += character;
    } else if (character === "\\") {
      // An escaped line end joins two lines; an escaped quote is a letter. Neither is worth following.
      isPlain = false;
      current += next === "\n" ? " " : character + next;
      at++;
    } else if (character === "'" || character === '"') {
      quote = character;
      current += character;
    } else if (/[;&|\n]/.test(character)) end();
    else {
      if (isSubstitution(character, next) || /[<>(){}#]/.test(character)) isPlain = false;
      current += character;
    }
  }
  end();
  return { commands, isPlain: isPlain && quote === "" };
}

/** A command or a variable in its place: what it becomes is not known here. */
function isSubstitution(character: string, next: string): boolean {
  return character === "`" || (character === "$" && next !== "" && !/\s/.test(next));
}

/** Assignments before a command, which a rule for the command does not cover: `PATH=. npm test`. */
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** True if the command begins with an assignment. */
export function hasAssignment(command: string): boolean {
  return ASSIGNMENT.test(command);
}
