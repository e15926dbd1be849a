/** A memory of a test: what is left out says nothing. */
import type { Memory } from "#memory/files/memory.ts";

export function aMemory(reported: Partial<Memory> = {}): Memory {
  return {
    path: "a.md",
    name: "A",
    description: "",
    type: undefined,
    body: "",
    createdAtMs: undefined,
    updatedAtMs: undefined,
    keptAtMs: undefined,
    relevance: 1,
    decays: true,
    source: "user",
    isConfirmed: true,
    isQuarantined: false,
    sessionId: undefined,
    messageId: undefined,
    follows: undefined,
    supersedes: [],
    revises: [],
    supersededBy: undefined,
    ...reported,
  };
}
