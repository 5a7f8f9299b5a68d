/** Lines of log files, as Salt's have them. */
import { formatText, type LogRecord } from "../../src/log.ts";

/** Time as log files have it: local, seconds, then milliseconds behind a comma. */
function fileTime(now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  return `${date} ${time},${String(now.getMilliseconds()).padStart(3, "0")}`;
}

/** `2026-11-21 10:15:00,123 [channel.req      ][WARNING ][4711] message`, with its line feed. */
export function logLine(record: LogRecord, now: Date, pid: number): string {
  const head = `${fileTime(now)} [${record.name.padEnd(17)}][${record.level.toUpperCase().padEnd(8)}][${pid}]`;
  return `${head} ${formatText(record).replace(/^\[[^\]]*\] /, "")}\n`;
}
