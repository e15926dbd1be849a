/** Numbers of the memory tool's commands. */

export const MEMORY_TOOL_DEFAULTS = {
  /** Attempts at a change that another writer's change precedes. Source: our choice: two programs that edit one file meet now and then, never so often. */
  triesCount: 8,
  /** Places of a text that is not unique that the model gets. Source: our choice: enough to see that it must say more. */
  placesCount: 20,
} as const;
