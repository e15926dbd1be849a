/** The contract of a model client, run over all clients with the vendors' own SDKs on real HTTP. */
import { CLIENTS } from "./clients.ts";
import { modelClientContract } from "./model-client-contract.ts";

for (const client of CLIENTS) modelClientContract(client);
