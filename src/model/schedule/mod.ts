/** Jobs that run by time, on minions and masters: when each is due, and what Salt shows of it. It runs none itself. */
export { type Entry } from "./entry.ts";
export { scheduleCommands, type ScheduleCommandsOptions } from "./commands.ts";
export { LocalTime } from "./local_time.ts";
export { scheduleMetadata, scheduleReturners } from "./returned.ts";
export { Schedule, type Source } from "./schedule.ts";
export { type DueJob, Scheduler } from "./scheduler.ts";
