/**
 * Question: how long does one request block the master's event loop, whatever its pattern?
 *
 * Control: the runtime's regular expressions on the same ids, which backtrack; left out for patterns that would take minutes.
 * Run with node, bun or `deno run -A`.
 */
import { cpus } from "node:os";
import { expandTarget, type MinionSource } from "../src/model/target/expand.ts";
import { PatternCache } from "../src/model/target/patterns.ts";

declare const navigator: { userAgent: string };

const tree = (levels: number): unknown => levels === 0 ? { z: "v" } : { a: tree(levels - 1), b: tree(levels - 1) };
const ids = Array.from({ length: 10_000 }, (_, at) => `web${at}.prod.example.com`);
const fleet = (grains: unknown): MinionSource => ({
  accepted: () => ids,
  cached: () => ids,
  data: () => ({ grains: grains as Record<string, unknown> }),
});

/** The longest of some rounds, in milliseconds, after one for warm-up: the time that other requests wait. */
function longest(work: () => unknown): number {
  work();
  let most = 0;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    work();
    most = Math.max(most, performance.now() - start);
  }
  return most;
}

console.log(`${navigator.userAgent}, ${cpus()[0]?.model.trim()}, 10,000 minions, ms a request, longest of 3 rounds\n`);
console.log("   ours   engine  | target");
for (
  const { type, tgt, grains = {}, engine } of [
    { type: "glob", tgt: "web*.prod.*" },
    { type: "pcre", tgt: "web.*", engine: "web.*" },
    { type: "pcre", tgt: "^web[0-9]+\\.prod\\..*$", engine: "^web[0-9]+\\.prod\\..*$" },
    { type: "pcre", tgt: "(?!db).*", engine: "(?!db).*" },
    { type: "grain", tgt: "os:Ubuntu", grains: { os: "Ubuntu" } },
    { type: "grain_pcre", tgt: "os:(Ubuntu|Debian)", grains: { os: "Ubuntu" }, engine: "(ubuntu|debian)" },
    { type: "grain_pcre", tgt: `x:${".?".repeat(28)}y`, grains: { x: "a".repeat(28) } },
    { type: "grain_pcre", tgt: "x:.*.*.*\\x00", grains: { x: "a".repeat(4000) } },
    { type: "grain", tgt: `${"*:".repeat(26)}nope`, grains: tree(8) },
    { type: "grain", tgt: `${"*:".repeat(60)}nope`, grains: tree(13) },
    { type: "compound", tgt: Array(2000).fill("web*").join(" or ") },
  ] as { type: string; tgt: string; grains?: unknown; engine?: string }[]
) {
  const patterns = new PatternCache();
  let error: string | undefined;
  const ours = longest(() => error = expandTarget({ tgt, tgt_type: type }, fleet(grains), { patterns }).error);
  const regexp = engine === undefined ? undefined : new RegExp(`^(?:${engine})`);
  const control = regexp === undefined ? "" : longest(() => ids.filter((id) => regexp.test(id))).toFixed(1);
  const shown = tgt.length > 40 ? `${tgt.slice(0, 40)}…` : tgt;
  console.log(
    `${ours.toFixed(1).padStart(7)}  ${control.padStart(7)}  | ${type} ${shown}${error ? " (given up)" : ""}`,
  );
}
