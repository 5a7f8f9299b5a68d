/** Whether a master can be reached, and whether it is one. */
import { GREETING_SIZE } from "../../../src/zmtp/greeting.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Runtime } from "../../../src/runtime/mod.ts";

export interface Reached {
  host: string;
  port: number;
  /** The option `transport`: what is expected there. */
  transport: string;
  timeoutMs: number;
}

/** What a connection to a port of a master lacks; undefined if all is well. */
export async function reach({ net, clock }: Runtime, at: Reached): Promise<string | undefined> {
  const { host, port, transport, timeoutMs } = at;
  const place = `${host}:${port}`;
  let connection;
  try {
    connection = await net.dial({ kind: "tcp", host, port }, { timeoutMs });
  } catch (error) {
    return `${place} cannot be reached: ${messageOf(error)}`;
  }
  if (transport !== "zeromq") {
    connection.destroy();
    return undefined;
  }
  // ZeroMQ speaks first: a signature of ten bytes, 0xff … 0x7f.
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let got = new Uint8Array(0);
  const off = clock.after(timeoutMs, () => resolve(`${place} takes the connection and says nothing`));
  connection.start({
    onData(chunk) {
      const both = new Uint8Array(Math.min(got.length + chunk.length, GREETING_SIZE));
      both.set(got);
      both.set(chunk.subarray(0, both.length - got.length), got.length);
      got = both;
      if (got.length >= 10) {
        resolve(got[0] === 0xff && (got[9]! & 1) === 1 ? undefined : `${place} is no ZeroMQ: what listens there?`);
      }
    },
    onClose: () => resolve(`${place} closes the connection at once`),
  });
  const problem = await promise;
  off();
  connection.destroy();
  return problem;
}
