import type { EauthModule } from "../../model/loader/eauth.ts";
import { sameSecret } from "./secrets.ts";

/** One password for all, the option `sharedsecret`: for a front end that authenticates its users itself. */
export const eauth: EauthModule = {
  virtual: ({ opts }) =>
    typeof opts.sharedsecret === "string" && opts.sharedsecret !== ""
      ? true
      : { unavailable: "the option sharedsecret is not set" },
  authenticate({ opts, runtime }, { username, password }) {
    return Promise.resolve(
      sameSecret(runtime.crypto, String(opts.sharedsecret), password) ? { name: username } : undefined,
    );
  },
};
