/**
 * Imports recordings with the packages of any checkout: those from before there was `importFile` read a file and import
 * it in two steps.
 */

/** The function that imports a file; `load` loads a module of the built packages. */
export async function importerOf(load) {
  const { importFile, readInputFile } = await load("palimpsest/dist/runtime/input-files/input-file.js");
  if (importFile !== undefined) return importFile;
  const { importSessions } = await load("palimpsest/dist/importers/registry.js");
  return async (path) => importSessions(await readInputFile(path));
}
