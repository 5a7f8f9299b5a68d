import { needs, outcome, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str } from "../../language/python/values.ts";
import { dead, serviceRunning } from "./service/activity.ts";
import { serviceBeacon, watch } from "./service/after.ts";
import { setEnabled } from "./service/boot.ts";
import { setMasked } from "./service/mask.ts";

const masking = (wanted: boolean, doc: string) =>
  stateFunction({
    signature: "name, runtime: bool=False",
    doc,
    run: (context, { name, runtime }) => setMasked(context, name, wanted, runtime),
  });

/** Services: whether they run, start at boot, or cannot be started at all. */
export const states: StateModule = {
  virtual: (context) => {
    const { osfinger, os } = context.grains;
    const why = `check support for service management on ${str(osfinger ?? os ?? "")}`;
    return needs("service.start", `No service execution module loaded: ${why} `)(context);
  },
  functions: stateFunctions({
    running: serviceRunning,
    dead,
    "enabled(name, **kwargs)": {
      doc: "The service starts at boot.",
      async run(context, { name, kwargs }) {
        const ret = { ...outcome(name, true, ""), ...await setEnabled(context, name, true, { kwargs }) };
        if (context.test && ret.comment === `The named service ${name} is not available`) {
          ret.result = null;
          ret.comment = `Service ${name} not present; if created in this state run, it would have been enabled`;
        }
        return ret;
      },
    },
    "disabled(name, **kwargs)": {
      doc: "The service does not start at boot.",
      run: async (context, { name, kwargs }) => ({
        ...outcome(name, true, ""),
        ...await setEnabled(context, name, false, { kwargs }),
      }),
    },
    masked: masking(true, "The service is masked: nothing can start it. With `runtime` until the next boot."),
    unmasked: masking(
      false,
      "The service is not masked; with `runtime` the mask that lasts until the next boot is meant.",
    ),
    mod_watch: watch,
  }),
  modBeacon: serviceBeacon,
};
