/** The first code that the interpreter runs: it reads the helper's sources from its input, and starts them. */
export const BOOT = `
import os, sys
if sys.version_info < (3, 8):
    sys.stderr.write("Python %d.%d is too old: 3.8 or newer is needed" % sys.version_info[:2])
    sys.exit(78)
import json, types
def take(count):
    parts = []
    while count:
        part = os.read(0, count)
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
sources = json.loads(take(int.from_bytes(take(4), "big")))
package = types.ModuleType("brine_helper")
package.__path__ = []
sys.modules["brine_helper"] = package
for name in ("wire", "channel", "errors", "mappings", "current", "modules", "embedded", "host", "main"):
    module = types.ModuleType("brine_helper." + name)
    module.__package__ = "brine_helper"
    path = "brine_helper/" + name + ".py"
    sys.modules[module.__name__] = module
    exec(compile(sources[path], "<brine>/" + path, "exec", dont_inherit=True), module.__dict__)
    setattr(package, name, module)
package.main.main(sources)
`;
