import { any, number } from "./option.ts";
import { Float } from "../../language/python/float.ts";
import { within } from "./rules.ts";

const THROUGH = "requests to web servers, such as for files from http:// and `http.query`";

/** What bounds requests to web servers, of minions and masters alike. */
export const WEB_OPTIONS = {
  http_connect_timeout: any(new Float(20), "Seconds that a connection to a web server may take; 0 for no limit.", {
    rule: within(0, Infinity, false),
  }),
  http_request_timeout: any(
    new Float(3600),
    "Seconds that `cp.get_url` and `http.query` may take for a request with its response; 0 for no limit.",
    { rule: within(0, Infinity, false) },
  ),
  http_max_body: number(
    107_374_182_400,
    "Bytes that a file from a web server may have; `http.query` holds 256 MiB in memory at most.",
    { rule: within(1) },
  ),
};

/** Sentences about the HTTP proxy. */
export const PROXY_DOCS = {
  proxy_host: `The HTTP proxy for ${THROUGH}: its name or address, without http:// and port.`,
  proxy_port: "The port of `proxy_host`.",
  proxy_username: "The user at `proxy_host`.",
  proxy_password: "The password at `proxy_host`.",
  no_proxy: "Hosts that are asked without `proxy_host`, each by its exact name or address; the loopback always is.",
};
