import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ZmtpContext } from "./context.ts";
import { PubSocket } from "./pub.ts";
import { PullSocket, SubSocket } from "./sub.ts";
import { DealerSocket, PushSocket } from "./push.ts";
import { RepSocket } from "./rep.ts";
import { ReqSocket } from "./req.ts";
import { RouterSocket } from "./router.ts";
import type { SocketFactory } from "./types.ts";

/**
 * A factory of Brine's own sockets, for code that may use libzmq's sockets instead.
 *
 * @example
 * ```ts
 * import { type ZmtpContext, zmtpSockets } from "brine/zmtp";
 *
 * export const requests = (context: ZmtpContext) => zmtpSockets(context).req({ lingerMs: 0 });
 * ```
 */
export function zmtpSockets(context: ZmtpContext): SocketFactory {
  return {
    name: "zmtp",
    pub: (options) => new PubSocket(context, options),
    sub: (options) => new SubSocket(context, options),
    push: (options) => new PushSocket(context, options),
    pull: (options) => new PullSocket(context, options),
    req: (options) => new ReqSocket(context, options),
    rep: (options) => new RepSocket(context, options),
    router: (options) => new RouterSocket(context, options),
    dealer: (options) => new DealerSocket(context, options),
  };
}

/**
 * A factory of Brine's own sockets over a runtime.
 *
 * @example
 * ```ts
 * import { currentRuntime, silentLogger } from "brine";
 * import { runtimeSockets } from "brine/zmtp";
 *
 * const sockets = runtimeSockets(await currentRuntime(), silentLogger);
 * await using rep = sockets.rep();
 * rep.serve(([name]) => new TextEncoder().encode(`hello ${new TextDecoder().decode(name)}`));
 * const endpoint = await rep.bind("tcp://127.0.0.1:*");
 * await using req = sockets.req();
 * req.connect(endpoint);
 * const [reply] = await req.request(new TextEncoder().encode("web1"));
 * console.log(new TextDecoder().decode(reply)); // hello web1
 * ```
 */
export function runtimeSockets(
  runtime: Pick<Runtime, "net" | "clock" | "random" | "later">,
  log: Logger,
): SocketFactory {
  return zmtpSockets({
    net: runtime.net,
    clock: runtime.clock,
    random: () => runtime.random(),
    log: log.child("zmtp"),
    later: (callback) => runtime.later(callback),
  });
}
