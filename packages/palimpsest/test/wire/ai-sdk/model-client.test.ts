/** The contract of a model client, run over all clients with the vendors' own SDKs on real HTTP. */
import { bySize, isLong } from "../../../../../test/helpers/size-of-run.ts";
import { CLIENTS } from "./clients.ts";
import { modelClientContract } from "./model-client-contract.ts";

/** Others speak the same APIs through a provider of the same version. */
const LONG_ONLY = ["aiSdkModel of @ai-sdk/anthropic (v3)", "aiSdkModel of @ai-sdk/openai (v3)"];

for (const client of CLIENTS)
  if (isLong || !LONG_ONLY.includes(client.name)) modelClientContract(client, bySize({ usual: 5, long: 1 }));
