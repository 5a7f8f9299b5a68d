import { states } from "../../../src/plugins/states/pkgrepo.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("pkgrepo", { pkgrepo: states });
