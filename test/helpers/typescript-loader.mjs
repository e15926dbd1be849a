/** Lets Node itself load TypeScript sources, without their types. */
import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
