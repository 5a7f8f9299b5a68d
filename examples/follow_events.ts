/**
 * Prints the returns of all jobs as they arrive, until it is interrupted. To run it on the master's host:
 *
 *     node examples/follow_events.ts [root_dir [request port]]      (or bun, or deno run -A)
 */
import process from "node:process";
import { connect } from "../mod.ts"; // or "brine"

const [rootDir = "/", port = "4506"] = process.argv.slice(2);
await using salt = await connect({ rootDir, requestPort: Number(port) });

const stop = salt.onEvent(({ tag, data }) => {
  const [, jid, id] = /^salt\/job\/(\d+)\/ret\/(.+)$/.exec(tag) ?? [];
  if (jid !== undefined) console.log(`${jid} ${id} ${data.fun} ${JSON.stringify(data.return)}`);
});
process.once("SIGINT", () => {
  stop();
  process.exit();
});
console.log("Listening");
await salt.lost; // rejects when the master goes away
