/** Checks whether a master can be reached, and whether it is a master. */
import { greeting, GREETING_SIZE } from "../../../src/protocol/zmtp/greeting.ts";
import { decodeCommand, decodeProperties } from "../../../src/protocol/zmtp/command.ts";
import { COMMAND } from "../../../src/protocol/zmtp/frame.ts";
import { messageOf } from "../../../src/base/errors.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

interface Reached {
  host: string;
  port: number;
  /** The option `transport`: the protocol that the port should speak. */
  transport: string;
  /** Purpose of the port. @default the type of its socket is not checked */
  serves?: "requests" | "publications";
  timeoutMs: number;
}

/** Bytes to read, at most: a greeting and the READY after it. */
const MAX_BYTES = GREETING_SIZE + 255 + 2;
/** Bytes of the signature at the start of ZeroMQ's greeting: 0xff … 0x7f. */
const SIGNATURE = 10;

/** Types of sockets that publish. */
const PUBLISHERS = ["PUB", "XPUB"];

/** The type of a ZeroMQ socket, from the READY after its greeting; undefined until that is complete. */
function socketType(bytes: Uint8Array): string | undefined {
  const frame = bytes.subarray(GREETING_SIZE);
  if (frame.length < 2 || frame[0] !== COMMAND || frame.length < 2 + frame[1]!) return undefined;
  const { name, data } = decodeCommand(frame.subarray(2, 2 + frame[1]!));
  const type = name === "READY" ? decodeProperties(data).get("socket-type") : undefined;
  return type === undefined ? undefined : new TextDecoder().decode(type);
}

/** The problem with a port whose socket has the wrong type; undefined if the type is right. */
function kindProblem({ serves, port }: Reached, place: string, type: string): string | undefined {
  if (serves === undefined || PUBLISHERS.includes(type) === (serves === "publications")) return undefined;
  return serves === "requests"
    ? `${place} is the publish_port of a master, which does not answer: master_port ${port} must be the ret_port`
    : `${place} accepts requests but does not publish: publish_port ${port} is the wrong port`;
}

/** The problem with a connection to a port of a master; undefined if there is none. */
export async function reach({ net, clock }: Runtime, at: Reached): Promise<string | undefined> {
  const { host, port, transport, timeoutMs } = at;
  const place = `${host}:${port}`;
  let connection;
  try {
    connection = await net.dial({ kind: "tcp", host, port }, { timeoutMs });
  } catch (error) {
    const why = messageOf(error).replace(/^Cannot connect to \S+: /, "");
    return `${place} cannot be reached: ${why}`;
  }
  if (transport !== "zeromq") {
    connection.destroy();
    return undefined;
  }
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let got = new Uint8Array(0);
  const isGreeted = () => got.length >= SIGNATURE;
  const off = clock.after(timeoutMs, () => {
    resolve(isGreeted() ? undefined : `${place} accepts connections but does not speak Salt's protocol`);
  });
  connection.start({
    onData(chunk) {
      const both = new Uint8Array(Math.min(got.length + chunk.length, MAX_BYTES));
      both.set(got);
      both.set(chunk.subarray(0, both.length - got.length), got.length);
      got = both;
      if (!isGreeted()) return;
      if (got[0] !== 0xff || (got[9]! & 1) !== 1) {
        return resolve(`${place} does not speak ZeroMQ: check which program uses that port`);
      }
      try {
        const type = socketType(got);
        if (type !== undefined) resolve(kindProblem(at, place, type));
      } catch {
        // The port greets as ZeroMQ does: what follows is for authenticated peers.
        resolve(undefined);
      }
    },
    onClose: () => resolve(isGreeted() ? undefined : `${place} closes the connection at once`),
  });
  // libzmq sends the type of its socket only after a greeting.
  connection.write(greeting());
  const problem = await promise;
  off();
  connection.destroy();
  return problem;
}
