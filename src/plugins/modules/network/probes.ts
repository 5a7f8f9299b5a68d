import { executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { needProgram, run, runAll } from "../../commands.ts";

export const ping = executionFunction({
  signature: "host, timeout=False, return_boolean=False",
  doc: "Pings a host; returns the output of ping, or whether it answers. `timeout` in seconds.\n\n" +
    "    salt '*' network.ping archlinux.org return_boolean=True",
  async run(context, args): Promise<string | boolean> {
    const words = ["ping", ...(truthy(args.timeout) ? ["-W", str(args.timeout)] : []), "-c", "4", sanitized(args.host)];
    if (args.return_boolean !== true) return await run(context, words);
    return (await runAll(context, words)).retcode === 0;
  },
});

/** What may stand in the name of a host: words from elsewhere must not become options or commands. */
export const sanitized = (host: unknown) => str(host).replace(/[^A-Za-z0-9_.\-:%]/g, "").replace(/^-+/, "");

const ROUND_TRIP = /(\d+(?:\.\d+)?)\s*ms/g;

export async function traceroute(context: JobContext, host: unknown): Promise<unknown[]> {
  needProgram(context, "traceroute");
  const hops: Record<string, unknown>[] = [];
  for (const line of splitLines(await run(context, ["traceroute", sanitized(host)]))) {
    const words = splitWords(line);
    if (!/^\d+$/.test(words[0] ?? "")) continue;
    if (words[1] === "*") {
      hops.push({ count: Number(words[0]), hostname: "*" });
      continue;
    }
    const times = [...line.matchAll(ROUND_TRIP)].map(([, ms]) => Number(ms));
    const hop: Record<string, unknown> = {
      count: words[0],
      hostname: words[1],
      ip: (words[2] ?? "").replace(/^\(|\)$/g, ""),
    };
    times.forEach((ms, at) => hop[`ms${at + 1}`] = ms);
    hops.push(hop);
  }
  return hops;
}
