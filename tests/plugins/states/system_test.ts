/** States of a system's own things, against recorded runs of real Salt. */
import { replayCases } from "../../support/state_cases.ts";

await replayCases("environ");
await replayCases("event");
await replayCases("grains");
await replayCases("host", { skip: { "host-7": "an argument that is missing is the runner's to report" } });
await replayCases("ini");
