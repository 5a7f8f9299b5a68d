/** Runners that run an orchestration. Their states receive the job id, which is used to pause and stop the orchestration. */
export const ORCHESTRATIONS: readonly string[] = ["state.orchestrate", "state.orch", "state.sls"];
