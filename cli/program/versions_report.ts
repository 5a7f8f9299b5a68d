import type { Runtime } from "../../src/runtime/runtime.ts";
import { VERSION } from "../../src/base/version.ts";

export function versionsReport({ host, process }: Runtime): string {
  const [name, number] = host.runtimeVersion();
  return `Brine Version:
          Brine: ${VERSION}

Dependency Versions:
        ${name.padStart(7)}: ${number}

System Versions:
        machine: ${host.machine()}
        release: ${host.kernelRelease()}
         system: ${process.platform}
`;
}
