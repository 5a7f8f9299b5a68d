import type { Clock } from "../../../base/async/clock.ts";
import { type Float, toFloat } from "../../../language/python/values.ts";

/** Start and duration of a state, in the form of an entry. */
interface Times {
  /** Local start time, `HH:MM:SS.ffffff`. */
  start_time: string;
  /** Duration in milliseconds, with three decimals. */
  duration: number | Float;
}

const two = (value: number) => String(value).padStart(2, "0");

function localTime(now: number): string {
  const date = new Date(now);
  const microseconds = Math.floor((now - Math.floor(now / 1000) * 1000) * 1000);
  const fraction = microseconds === 0 ? "" : `.${String(microseconds).padStart(6, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${fraction}`;
}

/** Rounds milliseconds for the `duration` of an entry. */
export function duration(milliseconds: number): number | Float {
  return toFloat(Math.round(milliseconds * 1000) / 1000);
}

/** Starts to measure. The returned function gives the times so far. */
export function startTimes(clock: Clock): () => Times {
  const start_time = localTime(clock.now());
  const began = clock.elapsed();
  return () => ({ start_time, duration: duration(clock.elapsed() - began) });
}
