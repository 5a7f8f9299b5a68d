import type { JobContext } from "../../../model/loader/family.ts";

interface ActOptions {
  noBlock: boolean;
  unmask: boolean;
  unmaskRuntime: boolean;
}

/** Something that starts services: systemd, or scripts. */
export interface ServiceManager {
  list(context: JobContext, which: "all" | "enabled" | "disabled" | "running" | "static"): Promise<string[]>;
  available(context: JobContext, name: string): Promise<boolean>;
  /** @param verb `start`, `stop`, `restart`, `reload`, `force-reload` */
  act(context: JobContext, verb: string, name: string, options: ActOptions): Promise<boolean>;
  status(context: JobContext, name: string): Promise<boolean | Record<string, boolean>>;
  enable(context: JobContext, name: string, wanted: boolean, root: unknown): Promise<boolean>;
  enabled(context: JobContext, name: string, root: unknown): Promise<boolean>;
  disabled(context: JobContext, name: string, root: unknown): Promise<boolean>;
}

/** True for a name that stands for several. */
export const isPattern = (name: string): boolean => /[*?[]/.test(name);
