/**
 * A chain of two processes in the positions of a master and a minion, without any of Salt: the first takes a message, writes and syncs
 * some bytes, and passes it on; the second does the same and answers; the first syncs again and answers. A ping does at least that, so
 * its time on busy cores shows what the system takes of the time of a ping.
 *
 * Run by a benchmark: node bench/relay.ts DIRECTORY [PORT of the second]; it prints its port.
 */
import { open } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import process from "node:process";
import type { Bed } from "./bed/bed.ts";
import { ROOT } from "./bed/runtimes.ts";

export interface Relay extends AsyncDisposable {
  /** Sends a message; resolves once it is answered. */
  send(): Promise<void>;
}

const BYTES = new Uint8Array(100);

/** Starts both. @param directory on the disk whose syncs count */
export async function startRelay(bed: Bed, directory: string): Promise<Relay> {
  const start = (...words: string[]) => bed.run([process.execPath, `${ROOT}/bench/relay.ts`, directory, ...words]);
  const second = start();
  const first = start(await second.line());
  const socket = net.connect({ host: "127.0.0.1", port: Number(await first.line()), noDelay: true });
  return {
    send: () =>
      new Promise((resolve) => {
        socket.once("data", () => resolve());
        socket.write(BYTES);
      }),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await Promise.all([first.stop(), second.stop()]);
    },
  };
}

/** Serves one end of the chain. */
async function serve(directory: string, next: number | undefined): Promise<void> {
  const file = await open(path.join(directory, `relay-${process.pid}`), "a");
  const sync = async () => {
    await file.write(BYTES);
    await file.datasync();
  };
  const second = next === undefined ? undefined : net.connect({ host: "127.0.0.1", port: next, noDelay: true });
  const server = net.createServer({ noDelay: true }, (caller) => {
    caller.on("error", () => {});
    caller.on("data", async () => {
      await sync();
      if (second === undefined) return void caller.write(BYTES);
      second.once("data", async () => {
        await sync();
        caller.write(BYTES);
      });
      second.write(BYTES);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as net.AddressInfo).port));
}

if (import.meta.main) {
  await serve(process.argv[2]!, process.argv[3] === undefined ? undefined : Number(process.argv[3]));
}
