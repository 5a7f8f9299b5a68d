import { needs, type StateModule } from "../../model/loader/states.ts";
import { absent } from "./pkgrepo/absent.ts";
import { managed } from "./pkgrepo/managed.ts";

/** Where packages come from. */
export const states: StateModule = {
  virtual: needs("pkg.mod_repo"),
  functions: {
    managed,
    absent,
  },
};
