/**
 * How a caller authenticates to the master: `{token}`, or `{eauth, username, password, …}`.
 *
 * @example
 * ```ts
 * import { connect, type Credentials } from "brine";
 *
 * await using salt = await connect();
 * const ann: Credentials = { eauth: "file", username: "ann", password: "secret" };
 * await salt.publish({ tgt: "*", fun: "test.ping", credentials: ann }).catch(({ code }) => console.error(code));
 * ```
 */
export type Credentials = Readonly<Record<string, unknown>>;
