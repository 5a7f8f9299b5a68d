import { any, number } from "./option.ts";
import { Float } from "../../language/python/values.ts";
import { withinRange } from "./rules.ts";

const THROUGH = "requests to web servers, such as for files from http:// and `http.query`";

/** Options that limit requests to web servers, for minions and masters alike. */
export const WEB_OPTIONS = {
  http_connect_timeout: any(new Float(20), "Seconds that a connection to a web server may take; 0 for no limit.", {
    rule: withinRange(0, Infinity, false),
  }),
  http_request_timeout: any(
    new Float(3600),
    "The timeout of a request by `cp.get_url` or `http.query`, in seconds. 0: none.",
    { rule: withinRange(0, Infinity, false) },
  ),
  http_max_body: number(
    107_374_182_400,
    "Bytes of a file from a web server. `http.query` keeps at most 256 MiB in memory.",
    { rule: withinRange(1) },
  ),
};

/** Documentation of the options of the HTTP proxy. */
export const PROXY_DOCS = {
  proxy_host: `The name or address of an HTTP proxy. It serves ${THROUGH}. Write no http:// and no port.`,
  proxy_port: "The port of `proxy_host`.",
  proxy_username: "The user at `proxy_host`.",
  proxy_password: "The password at `proxy_host`.",
  no_proxy: "Exact names or addresses that are reached without `proxy_host`. The loopback never uses the proxy.",
};
