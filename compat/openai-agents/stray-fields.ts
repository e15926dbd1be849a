/**
 * The SDK's model for Chat Completions sends back, in an assistant's message and in its parts, whatever else the message had
 * when it came, such as its role. It does so with every session, and the reference of the API does not have these fields;
 * the scripted provider refuses them, so they are taken out on the way.
 */
export async function withoutStrayFields(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
  if (typeof body !== "object" || body === null || !("messages" in body)) return fetch(url, init);
  const messages = (body.messages as readonly WireMessage[]).map((message) =>
    message.role === "assistant" ? plainMessage(message) : message,
  );
  return fetch(url, { ...init, body: JSON.stringify({ ...body, messages }) });
}

interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly type: string; readonly function: object }[];
}

function plainMessage({ role, content, tool_calls: calls }: WireMessage): WireMessage {
  return {
    role,
    content: Array.isArray(content) ? content.map(({ type, text }) => ({ type, text })) : content,
    ...(calls === undefined
      ? {}
      : { tool_calls: calls.map(({ id, type, function: called }) => ({ id, type, function: called })) }),
  };
}
