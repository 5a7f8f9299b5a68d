import type { ExecutionModule } from "../../model/loader/family.ts";
import { sdbFunctions } from "../sdb/functions.ts";

/** Values of `sdb://` addresses. */
export const module: ExecutionModule = { functions: sdbFunctions("salt '*'", "uri, strict=False") };
