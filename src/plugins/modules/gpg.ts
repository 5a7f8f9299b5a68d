import type { ExecutionModule } from "../../model/loader/family.ts";
import { programPath } from "../commands.ts";
import { KEYS } from "./gpg/keys.ts";
import { LISTING } from "./gpg/listing.ts";
import { MESSAGES } from "./gpg/messages.ts";
import { TRUST_FUNCTIONS } from "./gpg/trust.ts";

/** Key rings of GnuPG, and what is signed and encrypted with them, by the program gpg. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "gpg") === undefined
      ? { unavailable: "The gpg execution module cannot be loaded: gpg binary is not in the path." }
      : true,
  functions: { ...LISTING, ...KEYS, ...TRUST_FUNCTIONS, ...MESSAGES },
};
