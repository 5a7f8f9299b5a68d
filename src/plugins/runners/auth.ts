import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";

/** Tokens of external authentication. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "mk_token(**load)": {
      doc: "Creates a token for a user of an external_auth backend.\n\n" +
        "    salt-run auth.mk_token username=ann password=secret eauth=pam [token_expire=3600]",
      secret: true,
      run: (context, { load }) => context.makeToken(load),
    },
    "del_token(token)": {
      doc:
        "Makes a token worthless; False if there is none.\n\n    salt-run auth.del_token 6556760736e4077daa601baec2b67c24",
      secret: true,
      run: (context, { token }) => context.deleteToken(token),
    },
  }),
};
