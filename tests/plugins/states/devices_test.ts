/** States of the kernel and of disks: against calls recorded from real Salt. */
import { states as blockdev } from "../../../src/plugins/states/blockdev.ts";
import { states as disk } from "../../../src/plugins/states/disk.ts";
import { states as kmod } from "../../../src/plugins/states/kmod.ts";
import { states as lvm } from "../../../src/plugins/states/lvm.ts";
import { states as raid } from "../../../src/plugins/states/mdadm_raid.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("blockdev", { blockdev });
await replayStates("disk", { disk });
await replayStates("kmod", { kmod });
await replayStates("lvm", { lvm });
await replayStates("raid", { raid });
