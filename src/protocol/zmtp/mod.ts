/**
 * ZeroMQ in TypeScript: ZMTP 3.1 over the byte streams of `runtime/net.ts`, the same code on every runtime. The sockets
 * interoperate with libzmq; `native.ts` puts libzmq itself behind the same interfaces.
 *
 * @example
 * ```ts
 * import { currentRuntime, silentLogger } from "brine";
 * import { runtimeSockets } from "brine/zmtp";
 *
 * const sockets = runtimeSockets(await currentRuntime(), silentLogger);
 * await using req = sockets.req();
 * req.connect("tcp://127.0.0.1:5555");
 * const [reply] = await req.request(new TextEncoder().encode("hello"));
 * console.log(reply);
 * ```
 *
 * @module
 */
export { type SocketType } from "./command.ts";
export { ConnectionLimit } from "./connection_limit.ts";
export { type Endpoint, hostOf, parseEndpoint, printEndpoint } from "./endpoint.ts";
export { type Message } from "./frame.ts";
export { nativeSockets } from "./native.ts";
export { type ZmtpContext } from "./context.ts";
export { type PubOptions, type SocketOptions } from "./options.ts";
export { type PeerHandle, type PeerInfo } from "./peer.ts";
export { PubSocket } from "./pub.ts";
export { PullSocket, SubSocket } from "./sub.ts";
export { DealerSocket, PushSocket } from "./push.ts";
export { RepSocket } from "./rep.ts";
export { ReqSocket } from "./req.ts";
export { RouterSocket } from "./router.ts";
export { runtimeSockets, zmtpSockets } from "./sockets.ts";
export type {
  Dealer,
  Pub,
  Pull,
  Push,
  Receiver,
  Rep,
  Req,
  RequestOptions,
  Router,
  Socket,
  SocketFactory,
  Sub,
} from "./types.ts";
export type { Clock } from "../../base/async/clock.ts";
export type { LogFields, Logger, LogLevel, LogRecord, Threshold } from "../../base/log.ts";
export type { Runtime } from "../../runtime/runtime.ts";
