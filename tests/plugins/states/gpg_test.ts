/** States of key rings: against calls recorded from real Salt. */
import { states } from "../../../src/plugins/states/gpg.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("gpg", { gpg: states });
