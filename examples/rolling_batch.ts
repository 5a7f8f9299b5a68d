/**
 * Restarts a service a few minions at a time, and stops at the first failure. To run it on the master's host:
 *
 *     node examples/rolling_batch.ts [root_dir [request port]]      (or bun, or deno run -A)
 */
import process from "node:process";
import { connect, runBatch } from "../mod.ts"; // or "brine"

const [rootDir = "/", port = "4506"] = process.argv.slice(2);
await using salt = await connect({ rootDir, requestPort: Number(port) });

const request = { tgt: "web*", fun: "cmd.run", arg: ["echo restarted"] };
for await (const event of runBatch(salt, request, { size: "25%", failhard: true })) {
  switch (event.kind) {
    case "absent":
      console.log(`${event.id} is away`);
      break;
    case "started":
      console.log(`now: ${event.ids.join(", ")}`);
      break;
    case "ended":
      console.log(`${event.outcome.id}: ${event.outcome.kind}`);
  }
}
