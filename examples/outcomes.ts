/**
 * Runs a command on every minion and handles each outcome. To run it on the master's host:
 *
 *     node examples/outcomes.ts [root_dir [request port]]      (or bun, or deno run -A)
 */
import process from "node:process";
import { connect, type Outcome } from "../mod.ts"; // or "brine"

function line(outcome: Outcome): string {
  switch (outcome.kind) {
    case "returned":
      return String(outcome.return);
    case "failed":
      return `failed with code ${outcome.retcode}: ${outcome.return}`;
    case "queued":
      return "is offline and gets the job when it reconnects";
    case "published":
    case "started":
      return `has not returned yet (${outcome.kind})`;
    case "timed out":
    case "lost":
    case "expired":
    case "cancelled":
      return `will not return (${outcome.kind}): ${outcome.note ?? ""}`;
    case "no answer":
      return "did not answer";
    case "missing":
      return "has no accepted key";
    default:
      // A kind that a later release adds is an error of the compiler here.
      return outcome satisfies never;
  }
}

const [rootDir = "/", port = "4506"] = process.argv.slice(2);
await using salt = await connect({ rootDir, requestPort: Number(port) });

let failures = 0;
for await (const outcome of salt.run({ tgt: ["web1", "web9"], fun: "cmd.run", arg: ["echo up"] })) {
  console.log(`${outcome.id}: ${line(outcome)}`);
  if (outcome.kind !== "returned") failures++;
}
console.log(`${failures} without success`);
