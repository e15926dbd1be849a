/**
 * A made-up agent for random sessions: what it is asked, says and calls is given, and every text is of the size
 * that was asked for.
 */
import type { PlayedAgent } from "./noted-session.ts";

export interface MadeUpAnswer {
  readonly textTokens: number;
  /** Sizes of the results of what it calls; without any the turn ends. */
  readonly resultTokens: readonly number[];
}

const WORDS = "the parser reads the tokens one by one and keeps the place of each in the file it came from\n";

/** Some four characters a token, and never the same text twice. */
const textOf = (name: string, tokens: number): string =>
  `${name}: ${WORDS.repeat(Math.ceil((tokens * 4.6) / WORDS.length))}`.slice(0, Math.max(8, tokens * 4));

/** An agent that gives these answers; each that calls nothing ends a turn. */
export function madeUpAgent(answers: readonly MadeUpAnswer[], promptTokens = 20): PlayedAgent {
  let count = 0;
  const sizes = new Map<string, number>();
  return {
    tools: [
      {
        name: "mcp__docs__get",
        description: "Reads a document.",
        inputSchema: { type: "object" },
        run: (_, { callId }) => textOf(`result ${callId}`, sizes.get(callId) ?? 1),
      },
    ],
    nextPrompt: () => (count >= answers.length ? undefined : textOf(`prompt ${count}`, promptTokens)),
    say: () => {
      const index = count++;
      const { textTokens, resultTokens } = answers[index] ?? { textTokens: 1, resultTokens: [] };
      return [
        { type: "text", text: textOf(`answer ${index}`, textTokens) },
        ...resultTokens.map((tokens, place) => {
          const id = `call_${index}_${place}`;
          sizes.set(id, tokens);
          return { type: "tool-call", name: "mcp__docs__get", input: { path: `src/${id}.ts` }, id } as const;
        }),
      ];
    },
  };
}
