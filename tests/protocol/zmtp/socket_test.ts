import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { memoryNet } from "../../../src/runtime/memory/net.ts";
import { nodeNet } from "../../../src/runtime/node/net.ts";
import { nativeSockets, type SocketFactory, zmtpSockets } from "../../../src/protocol/zmtp/mod.ts";
import { type SocketContract, socketContract, type SocketGaps } from "../../contract/socket_contract.ts";
import { testContext } from "./context.ts";

const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ours = zmtpSockets(testContext({ net: nodeNet() }));
const tcp = () => "tcp://127.0.0.1:0";
let paths = 0;
const ipc = () => `ipc://${path.join(folder, `${paths++}.ipc`)}`;

socketContract("memory", () => {
  const factory = zmtpSockets(testContext({ net: memoryNet() }));
  return { binding: factory, connecting: factory, endpoint: tcp };
});
socketContract("tcp", () => ({ binding: ours, connecting: ours, endpoint: tcp }));
socketContract("tcp, IPv6", () => ({ binding: ours, connecting: ours, endpoint: () => "tcp://[::1]:0" }));
socketContract("ipc", () => ({ binding: ours, connecting: ours, endpoint: ipc }));
socketContract("tcp, ZMTP 3.0 dialling 3.1", () => {
  const old: SocketFactory = { ...ours, sub: (options) => ours.sub({ ...options, minor: 0 }) };
  return { binding: ours, connecting: old, endpoint: tcp };
});

const notNode = process.versions.bun !== undefined
  ? "native zeromq aborts Bun (uv_poll_init_socket is missing there)"
  : process.versions.deno !== undefined
  ? "native zeromq hangs on Deno in every REQ pattern"
  : undefined;

async function withNative(make: (native: SocketFactory) => Partial<SocketContract>): Promise<SocketContract> {
  const skipped = (skip: string) => ({ binding: ours, connecting: ours, endpoint: tcp, skip });
  if (notNode !== undefined) return skipped(notNode);
  try {
    const native = await nativeSockets(silentLogger);
    return { binding: ours, connecting: ours, endpoint: tcp, ...make(native) };
  } catch (error) {
    return skipped(String(error));
  }
}

const binding: SocketGaps = {
  remote: "zeromq does not tell a peer's address",
  routerSend: "libzmq drops without a word",
  lostRequest: "libzmq's close is not awaited, so the port is free only later",
};
const connecting: SocketGaps = { lostRequest: "libzmq's REQ waits for ever when its connection is lost" };

socketContract("libzmq", () => withNative((native) => ({ binding: native, connecting: native, gaps: binding })));
socketContract("libzmq binds, ours connect", () => withNative((native) => ({ binding: native, gaps: binding })));
socketContract(
  "ours bind, libzmq connects",
  () => withNative((native) => ({ connecting: native, gaps: connecting })),
);
socketContract(
  "ours bind, libzmq connects over ipc",
  () =>
    withNative((native) => ({
      connecting: native,
      endpoint: ipc,
      gaps: { ...connecting, bindTaken: "libzmq takes an ipc path away from whoever listens there" },
    })),
);
