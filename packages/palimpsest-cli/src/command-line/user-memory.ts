/** The memories of a user that hold in every project: a memory directory beside the projects of the home. */
import { join } from "node:path";

/** The folder of the user's memories in a home. */
export function userMemoryFolder(home: string): string {
  return join(home, "user-memory");
}
