/**
 * Asks the master which minions are up, through the runner `manage.up`. To run it on the master's host:
 *
 *     node examples/call_runner.ts [root_dir [request port]]      (or bun, or deno run -A)
 */
import process from "node:process";
import { callRunner, connect } from "../mod.ts"; // or "brine"

const [rootDir = "/", port = "4506"] = process.argv.slice(2);
await using salt = await connect({ rootDir, requestPort: Number(port) });

const request = { fun: "manage.up", arg: [], kwarg: {}, credentials: salt.ownCredentials };
const { data } = await callRunner(salt, request, { timeoutMs: 60_000 });
if (data.success === false) throw new Error(String(data.return));
console.log("up:", data.return);
