import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { compilePattern } from "../../language/python/regexp.ts";

/** Bytes of a log that are read at one look; what a log has grown by beyond that is read at the next ones. */
const MOST_BYTES = 1024 * 1024;

const event = (fields: Record<string, unknown>): BeaconEvent => ({ match: "no", raw: "", error: "", ...fields });

/** Lines of a log file that match regular expressions, from now on. */
export const beacon: BeaconModule = {
  validate: (config) =>
    Object.hasOwn(settingsOf(config), "file")
      ? VALID
      : [false, "Configuration for log beacon must contain file option."],
  beacon(_config, { settings, context: { runtime: { fs } }, memory }) {
    const path = String(settings.file);
    const size = fs.stat(path)?.size;
    if (size === undefined) throw new Error(`No such file: ${path}`);
    const at = memory.get("at") as number | undefined;
    if (at === undefined) {
      memory.set("at", size);
      return [];
    }
    // A log that was rotated begins anew.
    const from = size < at ? 0 : at;
    const bytes = fs.readAt(path, from, Math.min(size - from, MOST_BYTES));
    // A line that is not whole yet is read the next time, unless it fills the whole piece.
    const end = bytes.lastIndexOf(10) + 1;
    const whole = end === 0 && bytes.length === MOST_BYTES ? bytes.length : end;
    memory.set("at", from + whole);
    return matching(new TextDecoder().decode(bytes.subarray(0, whole)), settings.tags);
  },
};

function matching(text: string, tags: unknown): BeaconEvent[] {
  const found: BeaconEvent[] = [];
  const patterns: [string, (line: string) => boolean][] = [];
  for (const [tag, own] of Object.entries((tags ?? {}) as Record<string, { regex?: unknown }>)) {
    if (!own?.regex) continue;
    try {
      patterns.push([tag, compilePattern(String(own.regex))]);
    } catch {
      found.push(event({ tag, error: "bad regex" }));
    }
  }
  for (const line of text.split("\n").slice(0, -1)) {
    for (const [tag, matches] of patterns) {
      try {
        if (matches(line)) found.push(event({ tag, raw: line, match: "yes" }));
      } catch {
        found.push(event({ tag, error: "bad match" }));
      }
    }
  }
  return found;
}
