import { states } from "../../../src/plugins/states/virtualenv_mod.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("virtualenv", { virtualenv: states });
