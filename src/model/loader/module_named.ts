/**
 * Finds a runner or returner by name: first the file of that name, unless its module has another name; then any file whose
 * module has the name.
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
      // Throw only an error in the file of that name: other files do not concern the caller.
      if (file === name) throw error;
    }
  }
  return undefined;
}
