import { UrlBase } from "../../model/config/url.ts";
import { ClientError } from "../client_error.ts";

/** Matches names and addresses of the local machine. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address of a salt-api, with its `root_prefix` if it has one.
 *
 * @param insecure true allows plain HTTP to other machines
 * @throws {TypeError} for an invalid address
 * @throws {ClientError} `INSECURE` for plain HTTP to another machine: anyone on the network path could read token and password
 */
export function serverUrl(text: string | URL, insecure: boolean): UrlBase {
  const base = new UrlBase(String(text));
  const { protocol, hostname } = new URL(base.origin);
  if (protocol === "https:" || insecure || LOOPBACK.test(hostname)) return base;
  throw new ClientError(
    "INSECURE",
    `Cannot connect to ${base.origin} without TLS: others on the network could read the token. Use ` +
      "https://, or set insecure: true on a trusted network",
    { url: base.origin },
  );
}
