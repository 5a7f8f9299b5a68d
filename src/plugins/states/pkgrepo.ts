import { stateFunction, type StateModule } from "../../loader/states.ts";
import { absent } from "./pkgrepo/absent.ts";
import { managed } from "./pkgrepo/managed.ts";

/** Where packages come from. */
export const states: StateModule = {
  functions: {
    managed: stateFunction({
      signature: "name, ppa=None, copr=None, aptkey=True, **kwargs",
      doc: "The repository is configured as it is described.",
      run: managed,
    }),
    absent: stateFunction({
      signature: "name, **kwargs",
      doc: "The repository is not configured; with `keyid` its key is not there either.",
      run: absent,
    }),
  },
};
