import type { WheelModule } from "../../model/loader/wheel.ts";
import { rootFunctions } from "./roots.ts";

export const wheel: WheelModule = { functions: rootFunctions("file_roots") };
