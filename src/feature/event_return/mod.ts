/** Event returns: the events of a master's bus, kept on the disk until each store has them. */
export * from "./event_filter.ts";
export * from "./event_outlet.ts";
export * from "./event_return.ts";
export * from "./event_spool.ts";
export * from "./loss_report.ts";
