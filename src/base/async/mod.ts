/** Small building blocks of concurrency, independent of Salt: deferred promises, bounded queues, clocks, back-off. */
export * from "./backoff.ts";
export * from "./clock.ts";
export * from "./deferred.ts";
export * from "./grouped.ts";
export * from "./pool.ts";
export * from "./queue.ts";
export * from "./slices.ts";
