/** Parts of a host that may be slow, hang or crash, as processes: one contract, and one place that runs them. */
export { type KeptPart } from "./kept_part.ts";
export type { Part, PartStatus } from "./part.ts";
export { PART_VARIABLE } from "./part_protocol.ts";
export { NotTakenError, type WorkerRequest } from "./worker_queue.ts";
export { type PartHandlers, servePart } from "./serve_part.ts";
export type { Health, PartChange, PartEnd, PartOptions } from "./supervised_process.ts";
export { Supervisor } from "./supervisor.ts";
export { WorkerError, type WorkerPool } from "./worker_pool.ts";
