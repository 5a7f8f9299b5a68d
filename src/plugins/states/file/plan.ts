import type { Args } from "../../../language/python/values.ts";
import type { StateContext } from "../../../model/loader/states.ts";
import type { Seen } from "../../modules/file/manage.ts";
import type { FileReturn } from "./ret.ts";

/** A managed file: what the state asked for, in the words of the functions that do it. */
export interface Plan {
  context: StateContext;
  name: string;
  ret: FileReturn;
  /** The arguments of `file.get_managed` and `file.manage_file`. */
  args: Args;
  /** What stood under the name when the arguments were checked. */
  seen?: Seen | undefined;
}
