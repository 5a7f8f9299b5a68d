import { type ProxyFor, proxyFor, readProxy } from "../../protocol/transport/proxy.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ProxyChoice } from "../../runtime/proxy_net.ts";
import { CommandExecutionError } from "./family.ts";

/** What is needed to find proxies: a host's configuration and its process. */
interface ProxyContext {
  readonly opts: Record<string, unknown>;
  readonly runtime: { readonly process: Pick<Runtime["process"], "env"> };
}

/**
 * Makes the function that chooses the proxy for each request to a web server.
 *
 * @throws {CommandExecutionError} if the configured proxy cannot be used
 */
export function proxiesOf({ opts, runtime: { process } }: ProxyContext): ProxyFor {
  return asked(() => proxyFor(opts, (name) => process.env(name)));
}

/** The configured proxy, for programs that need its address. @throws {CommandExecutionError} if the proxy cannot be used */
export function proxyOf(opts: Record<string, unknown>): ProxyChoice | undefined {
  return asked(() => readProxy(opts));
}

function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandExecutionError(error.message, { cause: error });
  }
}
