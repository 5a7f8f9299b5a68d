/** The runners that are orchestrations. Their states are told the job id, by which they are paused and stopped. */
export const ORCHESTRATIONS: readonly string[] = ["state.orchestrate", "state.orch", "state.sls"];
