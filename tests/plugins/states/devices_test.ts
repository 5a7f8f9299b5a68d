/** States of the kernel and of disks: against calls recorded from real Salt. */
import { states as kmod } from "../../../src/plugins/states/kmod.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("kmod", { kmod });
