import { states } from "../../../src/plugins/states/service.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("service", { service: states });
