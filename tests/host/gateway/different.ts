/** Recorded exchanges from which the gateway differs on purpose, and why. Each has a test of its own in `routes_test.ts`. */
export const DIFFERENT: Record<string, string> = {
  "cp-options-preflight": "the original sets all headers of the preflight and then fails with 500; ours answers 200",
  "cp-hook-auth-disabled": "the original fails with 500 where no session is needed; ours fires the event",
  "to-events-accept-event-stream": "the original refuses EventSource by its Accept header; ours streams",
  "to-local-sleep": "the original gives up minions that are at work; ours waits for them",
};
