/** Limits of requests to web servers: time and size. */

/** Defaults of `http_connect_timeout` and `http_request_timeout`, in seconds, and of `http_max_body`, in bytes. */
const CONNECT_SECONDS = 20;
const REQUEST_SECONDS = 3600;
const MAX_BODY = 107_374_182_400;
/** The longest time of a timer, in milliseconds: 24 days. */
const MAX_MS = 2 ** 31 - 1;

export interface WebLimits {
  /** Timeout of the connection, in milliseconds. */
  connectMs: number;
  /** Timeout of a request with its response, in milliseconds. */
  totalMs: number;
  /** Bytes of a response's body, at most. */
  maxBytes: number;
}

/** The limits in a configuration. As in Salt, 0 seconds mean no limit. */
export function webLimits(opts: Record<string, unknown>): WebLimits {
  const ms = (name: string, seconds: number) => {
    const given = Number(opts[name] ?? seconds);
    return given === 0 ? MAX_MS : Math.min((given > 0 ? given : seconds) * 1000, MAX_MS);
  };
  return {
    connectMs: ms("http_connect_timeout", CONNECT_SECONDS),
    totalMs: ms("http_request_timeout", REQUEST_SECONDS),
    maxBytes: Number(opts.http_max_body) >= 1 ? Number(opts.http_max_body) : MAX_BODY,
  };
}
