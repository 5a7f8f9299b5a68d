/** The backends of external authentication: name → how to load it. */
import type { EauthRegistry } from "../../model/loader/eauth.ts";

const jwt = () => import("./jwt.ts");

export const EAUTH: EauthRegistry = {
  auto: () => import("./auto.ts"),
  file: () => import("./file.ts"),
  jwt,
  ldap: () => import("./ldap.ts"),
  oidc: jwt,
  pam: () => import("./pam.ts"),
  rest: () => import("./rest.ts"),
  sharedsecret: () => import("./sharedsecret.ts"),
};
