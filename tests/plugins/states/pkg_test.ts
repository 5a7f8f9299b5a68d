import { states } from "../../../src/plugins/states/pkg.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("pkg", { pkg: states });
