import { states } from "../../../src/plugins/states/npm.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("npm", { npm: states });
