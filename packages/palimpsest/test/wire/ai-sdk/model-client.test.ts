/** The contract of a model client, run over all clients with the vendors' own SDKs on real HTTP. */
import { bySize } from "../../../../../test/helpers/size-of-run.ts";
import { CLIENTS } from "./clients.ts";
import { modelClientContract } from "./model-client-contract.ts";

for (const client of CLIENTS) modelClientContract(client, bySize({ usual: 5, long: 1 }));
