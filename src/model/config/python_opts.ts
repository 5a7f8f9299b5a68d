import { any, bool, list } from "./option.ts";

/** Options of Python on a host: a minion uses them for modules and states, a master for runners. */
export const PYTHON_OPTIONS = {
  python: any(
    "auto",
    "The Python that runs custom modules written for Salt. `auto`: that of Salt's packages, of a virtual environment, or `python3` in the path. False: none. A path: that one.",
  ),
  python_salt: bool(
    true,
    "Salt's own package of that Python lends the modules and functions that Brine does not have.",
  ),
  python_prefer: list([], "Modules whose functions come from Salt's own package where it has them, such as `pkg`."),
  utils_dirs: list([], "More directories of `_utils`, for custom modules in Python."),
};
