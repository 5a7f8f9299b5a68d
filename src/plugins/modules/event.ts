import type { ExecutionModule } from "../../loader/family.ts";

export const module: ExecutionModule = { functions: {} };
