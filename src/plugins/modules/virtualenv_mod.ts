import { joinPath } from "../../base/paths.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { runAll } from "../commands.ts";
import { exists } from "../linux/paths.ts";
import { createEnvironment, virtualenvVersion } from "./virtualenv/create.ts";

/** What a line of Python prints in an environment; `sys.argv` has the words behind it. */
async function python(context: JobContext, venv: unknown, code: string, ...words: string[]): Promise<string> {
  const program = joinPath(str(venv), "bin/python");
  if (!exists(context.runtime.fs, program)) {
    throw new CommandExecutionError(
      `Path '${str(venv)}' does not appear to be a virtualenv: '${program}' not found.`,
    );
  }
  const { retcode, stdout, stderr } = await runAll(context, [program, "-c", code, ...words]);
  if (retcode !== 0) throw new CommandExecutionError(`${stdout}\n${stderr}`);
  return stdout;
}

const VENV = "\n\nvenv: path of the environment";

const resource = (fun: string, call: string, doc: string) =>
  executionFunction({
    signature: "venv, package: str=None, resource: str=None",
    doc: `${doc}\n\n    salt '*' virtualenv.${fun} /venv my_package my/resource.xml${VENV}`,
    run: (context, args) => {
      const code = `import pkg_resources, sys; print(pkg_resources.${call}(sys.argv[1], sys.argv[2]))`;
      return python(context, args.venv, code, args.package, args.resource);
    },
  });

/** Environments of Python with packages of their own. */
export const module: ExecutionModule = {
  virtual: () => "virtualenv",
  functions: executionFunctions({
    create: executionFunction({
      signature: `path, venv_bin=None, system_site_packages=False, distribute=False, clear=False, python=None,
        extra_search_dir=None, never_download=None, prompt=None, pip=False, symlinks=None, upgrade=None, user=None,
        use_vt=False, saltenv='base', **kwargs`,
      doc: "Makes an environment.\n\n    salt '*' virtualenv.create /venv python=python3.11\n\n" +
        "venv_bin: virtualenv, venv, or a Python whose module venv does it; otherwise as pillar or configuration say, " +
        "or what is there\npip: have pip in it\nclear: remove what is in it\nprompt: shown by a shell in it\n" +
        "system_site_packages: with the packages of the host\npython: its Python\n" +
        "extra_search_dir: where its own packages are looked for",
      run: (context, args) => createEnvironment(context, args),
    }),
    "virtualenv_ver(venv_bin: str, user=None, **kwargs)": {
      doc: "The version of virtualenv as numbers.\n\n    salt '*' virtualenv.virtualenv_ver virtualenv\n\n" +
        "venv_bin: path of virtualenv",
      run: (context, { venv_bin, user }) => virtualenvVersion(context, venv_bin, user),
    },
    "get_site_packages(venv)": {
      doc: `The directory of its packages.\n\n    salt '*' virtualenv.get_site_packages /venv${VENV}`,
      run: (context, { venv }) => python(context, venv, "import sysconfig; print(sysconfig.get_path('purelib'))"),
    },
    "get_distribution_path(venv, distribution: str)": {
      doc: `The directory of a distribution.\n\n    salt '*' virtualenv.get_distribution_path /venv my_dist${VENV}`,
      run: (context, { venv, distribution }) => {
        const code = "import pkg_resources, sys; print(pkg_resources.get_distribution(sys.argv[1]).location)";
        return python(context, venv, code, distribution);
      },
    },
    get_resource_path: resource("get_resource_path", "resource_filename", "The path of a file of a package."),
    get_resource_content: resource("get_resource_content", "resource_string", "The content of a file of a package."),
  }),
};
