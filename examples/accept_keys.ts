/**
 * Lists pending keys, and accepts those named. To run it on the master's host:
 *
 *     node examples/accept_keys.ts root_dir port [id…]      (or bun, or deno run -A)
 */
import process from "node:process";
import { callWheel, connect } from "../mod.ts"; // or "brine"

const [rootDir = "/", port = "4506", ...ids] = process.argv.slice(2);
await using salt = await connect({ rootDir, requestPort: Number(port) });

async function wheel(fun: string, kwarg: Record<string, unknown>): Promise<unknown> {
  const { data } = await callWheel(salt, { fun, kwarg, credentials: salt.ownCredentials });
  if (data.success === false) throw new Error(String(data.return));
  return data.return;
}

const { minions_pre: waiting } = await wheel("key.list_all", {}) as { minions_pre: string[] };
console.log("waiting:", waiting.join(", "));
for (const id of ids) {
  // Compare this with what `salt-call key.finger` prints on the minion before you accept it.
  const { minions_pre } = await wheel("key.finger", { match: id }) as { minions_pre: Record<string, string> };
  await wheel("key.accept", { match: id });
  console.log(`accepted ${id} ${minions_pre[id]}`);
}
