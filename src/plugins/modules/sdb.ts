import type { ExecutionModule } from "../../model/loader/family.ts";
import { sdbFunctions } from "../sdb/functions.ts";

export const module: ExecutionModule = { functions: sdbFunctions("salt '*'", "uri, strict=False") };
