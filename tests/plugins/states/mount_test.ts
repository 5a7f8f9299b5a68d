import { states as mount } from "../../../src/plugins/states/mount.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("mount", { mount });
