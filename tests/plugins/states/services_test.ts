/** States of mail aliases, web servers, exports and copies: against calls recorded from real Salt. */
import { states as alias } from "../../../src/plugins/states/alias.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("alias", { alias });
