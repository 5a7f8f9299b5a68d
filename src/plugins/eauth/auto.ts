import type { EauthModule } from "../../model/loader/eauth.ts";

/** Accepts every login: for trying things out. */
export const eauth: EauthModule = {
  authenticate(context, { username }) {
    context.log.warning("external_auth: auto accepts every login; use it for tests only", { username });
    return Promise.resolve({ name: username });
  },
};
