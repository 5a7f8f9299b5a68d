import { str } from "../../language/python/values.ts";
import { wheelFunctions, type WheelModule } from "../../model/loader/wheel.ts";

/** Fails on purpose, to see how an error is shown. */
export const wheel: WheelModule = {
  functions: wheelFunctions({
    "error(name=None, message='')": {
      doc: "Raises an error with this name; without a name, returns an empty map.",
      run(_context, { name, message }) {
        if (name === null) return {};
        throw Object.assign(new Error(str(message)), { name: str(name) });
      },
    },
  }),
};
