import type { StateModule } from "../../model/loader/states.ts";
import { absent } from "./pkgrepo/absent.ts";
import { managed } from "./pkgrepo/managed.ts";

/** Where packages come from. */
export const states: StateModule = {
  functions: {
    managed: {
      signature: "name, ppa=None, copr=None, aptkey=True, **kwargs",
      doc: "The repository is configured as it is described.",
      run: managed,
    },
    absent: {
      signature: "name, **kwargs",
      doc: "The repository is not configured; with `keyid` its key is not there either.",
      run: absent,
    },
  },
};
