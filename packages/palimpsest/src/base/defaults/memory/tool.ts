/** Numbers of the memory tool's commands. */

export const MEMORY_TOOL_DEFAULTS = {
  /** How often a change is made again after somebody else's came before it. Source: our choice: two programs that edit one file meet now and then, never so often. */
  triesCount: 8,
  /** Places of a text that is not unique, which the model is told. Source: our choice: enough to see that it must say more. */
  placesCount: 20,
} as const;
