/** How a caller authenticates to the master: `{token}`, or `{eauth, username, password, …}`. */
export type Credentials = Readonly<Record<string, unknown>>;
