/** The entries without files, from the tarball, in a browser's page and in its worker. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { classifyModelError, estimateText, findModel } from "palimpsest/tokens";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../../packages/palimpsest-cli/test/helpers/chromium.ts";
import { EmptyProject } from "../shared/empty-project.ts";

/** Entries that need nothing of Node; `docs/reference/runtimes.md` lists them. */
const PURE = [
  ...["ai-sdk", "anthropic", "compaction", "experimental", "openai", "otel", "tokens", "transcript"],
] as const;
const TEXT = "Die Straßenbahn fährt um 9:04 Uhr. const answer = 42;";

const PROGRAM = `
const names = ${JSON.stringify(PURE)};
const entries = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await import("/node_modules/palimpsest/dist/entries/" + name + ".js")])),
);
const { estimateText, findModel } = entries.tokens;
const failure = entries.tokens.classifyModelError({ status: 413, message: "request too large" });
const outcome = {
  counts: Object.fromEntries(names.map((name) => [name, Object.keys(entries[name]).length])),
  tokens: estimateText(${JSON.stringify(TEXT)}),
  windowTokens: findModel("claude-sonnet-4-5").windowTokens,
  failure: failure.kind,
};
`;

const IN_PAGE = `import("/page.js").then(() => globalThis.outcome)`;
const IN_WORKER = `new Promise((resolve, reject) => {
  const worker = new Worker("/worker.js", { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
})`;

interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly windowTokens: number;
  readonly failure: string;
}

describe.skipIf(!hasChromium)("In Chromium", () => {
  let project: EmptyProject;
  let server: Server;
  beforeAll(async () => {
    project = new EmptyProject();
    project.write("worker.js", `${PROGRAM}\npostMessage(outcome);`);
    project.write("page.js", `${PROGRAM}\nwindow.outcome = outcome;`);
    project.write("index.html", "<!doctype html><title>Page</title>");
    server = createServer(({ url = "/" }, response) => {
      try {
        const path = normalize(url === "/" ? "/index.html" : url);
        const body = readFileSync(join(project.folder, path));
        const type = path.endsWith(".js") ? "text/javascript" : "text/html";
        response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server?.close();
    project?.remove();
  });

  it.each(["a page", "a worker"])("the entries without files run in %s", async (place) => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      // As text: what Vitest makes of an import and of a function means nothing to a browser.
      const outcome: Outcome = await page.evaluate(place === "a page" ? IN_PAGE : IN_WORKER);
      expect(Object.keys(outcome.counts)).toEqual([...PURE]);
      for (const count of Object.values(outcome.counts)) expect(count).toBeGreaterThan(0);
      expect(outcome).toMatchObject({
        tokens: estimateText(TEXT),
        windowTokens: findModel("claude-sonnet-4-5")?.windowTokens,
        failure: classifyModelError({ status: 413, message: "request too large" }).kind,
      });
    } finally {
      await browser.close();
    }
  });
});
