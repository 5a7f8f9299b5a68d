import { states } from "../../../src/plugins/states/supervisord.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("supervisord", { supervisord: states });
