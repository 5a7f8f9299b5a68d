import { readProxy } from "./proxy.ts";
import { ConfigError } from "../../base/errors.ts";
import { suggestion } from "../../base/nearest_name.ts";
import type { Logger } from "../../base/log.ts";
import type { Listener, Net, TlsDial } from "../../runtime/net.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { proxyNet } from "../../runtime/proxy_net.ts";
import type { Wire } from "../zmtp/conversation.ts";
import { runtimeSockets, type ZmtpContext, zmtpSockets } from "../zmtp/mod.ts";
import { readSsl, type Ssl } from "./ssl/read_ssl.ts";
import { TCP } from "./tcp/tcp_wire.ts";
import type { Transport } from "./transport.ts";
import { PUBLISH_PATH, wsWire } from "./ws/ws_wire.ts";

/** A network on which every TCP connection uses TLS; Unix sockets are unchanged. */
export function tlsNet(net: Net, ssl: Ssl): Net {
  return {
    ...net,
    dial: (to, options) => net.dial(to, to.kind === "tcp" ? { ...options, tls: forHost(ssl.dial, to.host) } : options),
    listen: (at, accept, options) =>
      net.listen(at, accept, at.kind === "tcp" ? { ...options, tls: ssl.listen() } : options),
  };
}

/**
 * The checks of the server at a host. On the local host, only the authority is checked: a master's certificate is for the name that
 * minions use, and programs on the master's host connect to 127.0.0.1.
 */
function forHost(dial: TlsDial, host: string): TlsDial {
  const isHere = /^(127(\.\d+){3}|::1|localhost)$/.test(host);
  return { ...dial, serverName: host, ...(isHere && dial.verify === "name" ? { verify: "certificate" } : {}) };
}

/** The arguments of {@link openTransport}. */
interface TransportOptions {
  runtime: Pick<Runtime, "net" | "clock" | "random" | "later" | "crypto" | "fs">;
  log: Logger;
  /** The configuration of the master, minion or client. */
  opts: Record<string, unknown>;
}

type Opener = (options: TransportOptions, ssl: Ssl | undefined) => Transport;

const OPENERS: Record<string, Opener> = { zeromq: openZeromq, tcp: openTcp, ws: openWs };

/**
 * Opens the transport that a configuration asks for, by its options `transport` and `ssl`.
 *
 * @throws {ConfigError} naming the option, its value and what is expected
 */
export function openTransport(options: TransportOptions): Transport {
  const { opts, runtime } = options;
  const name = opts.transport ?? "zeromq";
  const open = typeof name === "string" && Object.hasOwn(OPENERS, name) ? OPENERS[name] : undefined;
  if (open === undefined) {
    const names = Object.keys(OPENERS);
    throw new ConfigError(
      `Cannot use the option transport: ${JSON.stringify(name)}: ${suggestion(String(name), names)}`,
      {
        option: "transport",
      },
    );
  }
  return open(options, readSsl(opts.ssl, runtime.fs));
}

function openZeromq({ runtime, log }: TransportOptions, ssl: Ssl | undefined): Transport {
  if (ssl !== undefined) {
    throw new ConfigError(
      "Cannot use the option ssl: ZeroMQ does not support TLS: set transport: tcp or transport: ws, here and on the other side",
      { option: "ssl" },
    );
  }
  return runtimeSockets(runtime, log);
}

function openTcp({ runtime, log }: TransportOptions, ssl: Ssl | undefined): Transport {
  const net = ssl === undefined ? runtime.net : tlsNet(runtime.net, ssl);
  return socketsOver("tcp", contextOf(runtime, log.child("tcp"), net, TCP));
}

function openWs({ runtime, log, opts }: TransportOptions, ssl: Ssl | undefined): Transport {
  const proxy = readProxy(opts);
  const reached = proxy === undefined ? runtime.net : proxyNet(runtime.net, proxy);
  const net = ssl === undefined ? reached : tlsNet(reached, ssl);
  const { crypto } = runtime;
  const parts = log.child("ws");
  const own = contextOf(runtime, parts, net, wsWire({ crypto }));
  // Port 0 means any free port, so two listeners with port 0 get two ports.
  const isOnePort = Number(opts.publish_port) > 0 && Number(opts.publish_port) === Number(opts.ret_port);
  if (!isOnePort) return socketsOver("ws", own);
  const door = new PublishDoor();
  return socketsOver("ws", contextOf(runtime, parts, net, wsWire({ crypto, elsewhere: (path) => door.at(path) })), {
    ...own,
    net: door.net(net),
  });
}

function contextOf(runtime: TransportOptions["runtime"], log: Logger, net: Net, wire: Wire): ZmtpContext {
  const { clock } = runtime;
  return { net, clock, log, wire, random: () => runtime.random(), later: (callback) => runtime.later(callback) };
}

function socketsOver(name: string, context: ZmtpContext, publishing: ZmtpContext = context): Transport {
  const { sub, router, req } = zmtpSockets(context);
  return { name, byTopic: false, pub: zmtpSockets(publishing).pub, sub, router, req };
}

/** The publisher's side of a port that publications and requests share: the request socket accepts connections, and passes them on by path. */
class PublishDoor {
  #accept: Parameters<Net["listen"]>[1] | undefined;

  /** The function that accepts the connections of a path; undefined if the path is for requests. */
  at(path: string): Parameters<Net["listen"]>[1] | undefined {
    return path === PUBLISH_PATH ? this.#accept : undefined;
  }

  net(net: Net): Net {
    return {
      ...net,
      listen: (address, accept): Promise<Listener> => {
        this.#accept = accept;
        return Promise.resolve({
          address,
          close: () => {
            this.#accept = undefined;
            return Promise.resolve();
          },
        });
      },
    };
  }
}
