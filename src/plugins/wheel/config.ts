import { joinPath } from "../../base/paths.ts";
import { shownMasterConfig } from "../../model/config/salt_defaults.ts";
import { messageOf } from "../../base/errors.ts";
import { wheelFunctions, type WheelModule } from "../../model/loader/wheel.ts";
import { isMap, repr, str } from "../../language/python/values.ts";
import { dump } from "../../language/yaml/dump.ts";

/** The master's configuration. */
export const wheel: WheelModule = {
  functions: wheelFunctions({
    "values()": {
      doc: "The options of the master. Passwords and secrets among them are hidden.",
      run: ({ opts }) => shownMasterConfig(opts),
    },
    "apply(key, value)": {
      doc: "Not supported: it would rewrite the whole file. Use config.update_config.",
      run(_context, { key }) {
        throw new Error(`${str(key)} is not set: use config.update_config, which writes a separate file`);
      },
    },
    "update_config(file_name, yaml_contents)": {
      doc: "Writes options into `<file_name>.conf` of the directory that the configuration includes.",
      async run({ opts, runtime: { fs } }, { file_name, yaml_contents }) {
        if (typeof file_name !== "string" || !/^[A-Za-z0-9_][\w.-]*$/.test(file_name)) return "Invalid path";
        let options: unknown = yaml_contents;
        if (typeof yaml_contents === "string") {
          const { parseYaml } = await import("../../language/yaml/document.ts");
          try {
            options = parseYaml(yaml_contents).value;
          } catch (error) {
            return messageOf(error);
          }
        }
        if (!isMap(options)) return `yaml_contents is ${repr(yaml_contents)}: expected a map of options`;
        const file = String(opts.conf_file);
        const include = String(opts.default_include ?? "master.d/*.conf");
        const directory = joinPath(file.slice(0, file.lastIndexOf("/")), include.slice(0, include.lastIndexOf("/")));
        try {
          fs.mkdir(directory, 0o755);
          fs.write(joinPath(directory, `${file_name}.conf`), dump(options), { mode: 0o600 });
          return `Wrote ${file_name}.conf`;
        } catch (error) {
          return messageOf(error);
        }
      },
    },
  }),
};
