import type { StateModule } from "../../model/loader/states.ts";
import { fun } from "./salt/function.ts";
import { parallelRunners, saltRunner, saltWheel } from "./salt/runners.ts";
import { state } from "./salt/state.ts";
import { waitForEvent } from "./salt/wait_for_event.ts";

/** States of an orchestration: what is done on minions, and what on the master. */
export const states: StateModule = {
  functions: {
    state,
    function: fun,
    runner: saltRunner,
    wheel: saltWheel,
    parallel_runners: parallelRunners,
    wait_for_event: waitForEvent,
  },
};
