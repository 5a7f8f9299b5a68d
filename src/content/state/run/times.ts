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

/** The second of the last state that began, and its text: thousands of states may begin in one. */
let last = { second: NaN, text: "" };

function localTime(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== last.second) {
    const date = new Date(now);
    last = { second, text: `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}` };
  }
  const microseconds = Math.floor((now - second * 1000) * 1000);
  return microseconds === 0 ? last.text : `${last.text}.${String(microseconds).padStart(6, "0")}`;
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
