/**
 * A whole Salt in one program: a master, a minion with a custom function, and a job. To run it here:
 *
 *     node examples/embedded.ts      (or bun, or deno run -A)
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMaster } from "../cli/embed/master.ts"; // or "brine/master"
import { type ExecutionModule, startMinion } from "../cli/embed/minion.ts"; // or "brine/minion"
import { connect } from "../mod.ts"; // or "brine"

const shop: ExecutionModule = {
  functions: {
    price: {
      signature: "article, amount=1",
      doc: "What some of an article cost.",
      run: (_context, { amount }) => Number(amount) * 0.5,
    },
  },
};

const directory = await mkdtemp(join(tmpdir(), "embedded-"));
try {
  await using master = await startMaster({
    rootDir: directory,
    // Port 0 takes a free port. Every key is accepted, which is safe on the loopback of a single program only.
    opts: { interface: "127.0.0.1", publish_port: 0, ret_port: 0, auto_accept: true },
  });
  const requestPort = Number(new URL(master.requestEndpoint.replace("tcp:", "http:")).port);

  await using minion = await startMinion({
    rootDir: join(directory, "web1"),
    opts: { id: "web1", master: "127.0.0.1", master_port: requestPort },
    modules: { shop },
  });
  await minion.ready;

  await using salt = await connect({ rootDir: directory, requestPort });
  for await (const outcome of salt.run({ tgt: ["web1"], fun: "shop.price", arg: ["apple"], kwarg: { amount: 4 } })) {
    console.log(outcome.id, outcome.kind === "returned" ? outcome.return : outcome.kind);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
