import { needs, type StateModule } from "../../model/loader/states.ts";
import { repoAbsent } from "./pkgrepo/absent.ts";
import { repoManaged } from "./pkgrepo/managed.ts";

/** Where packages come from. */
export const states: StateModule = {
  virtual: needs("pkg.mod_repo"),
  functions: {
    managed: repoManaged,
    absent: repoAbsent,
  },
};
