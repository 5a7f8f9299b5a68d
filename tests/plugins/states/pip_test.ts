import { states } from "../../../src/plugins/states/pip.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("pip", { pip: states });
