/**
 * Finds a runner or returner by its name: the file of that name, unless that module has another name; else any file whose
 * module has it.
 */
export async function moduleNamed<Family extends "runner" | "returner", Module extends { name?: string }>(
  registry: Readonly<Record<string, () => Promise<Record<Family, Module>>>>,
  family: Family,
  name: string,
): Promise<Module | undefined> {
  const others = Object.keys(registry).filter((file) => file !== name);
  for (const file of Object.hasOwn(registry, name) ? [name, ...others] : others) {
    try {
      const module = (await registry[file]!())[family];
      if ((module.name ?? file) === name) return module;
    } catch (error) {
      // An error in another file does not concern the caller, who asked for this name.
      if (file === name) throw error;
    }
  }
  return undefined;
}
