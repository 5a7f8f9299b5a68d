import { states } from "../../../src/plugins/states/gem.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("gem", { gem: states });
