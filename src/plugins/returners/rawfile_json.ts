import type { ReturnerModule } from "../../loader/family.ts";
import { returnerOptions } from "./options.ts";
import { toJson } from "./json.ts";

/** Adds each return to a file, one line of JSON. Option: `rawfile_json.filename`. */
export const returner: ReturnerModule = {
  async returner(context, ret) {
    const { filename } = returnerOptions(context, "rawfile_json", { filename: "/var/log/salt/events" });
    const { fs } = context.runtime;
    const path = String(filename);
    const kind = fs.stat(path)?.kind;
    if (kind !== undefined && kind !== "file") {
      throw new TypeError(`Cannot add to "${path}": it is a ${kind}; set rawfile_json.filename to the path of a file`);
    }
    fs.append(path, `${toJson(ret)}\n`, 0o600);
  },
};
