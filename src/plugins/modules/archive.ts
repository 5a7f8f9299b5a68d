import type { ExecutionModule } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";
import { needAnyProgram, needProgram, programPath } from "../commands.ts";
import { checkProgramPath } from "../linux/paths.ts";
import { listArchive, listedLines, trimmed } from "./archive/list.ts";
import { cmdUnzip, isEncrypted, sourcesOf, unzip, zip, zipNames } from "./archive/zip.ts";

/** A function for a program that packs or unpacks a single file. */
const single = (program: string, argument: string, doc: string, example: string) =>
  executionFunction({
    signature: `${argument}, template=None, runas=None, options=None`,
    doc: `${doc}\n\n    salt '*' archive.${program} ${example}`,
    async run(context, args) {
      needProgram(context, program);
      checkProgramPath(context, str(args[argument]), args);
      const options = truthy(args.options) ? [str(args.options)] : [];
      return await listedLines(context, [program, ...options, str(args[argument])], args);
    },
  });

/** Archives, packed and unpacked by the programs of the host. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    list: executionFunction({
      signature: `name, archive_format=None, options=None, strip_components=None, clean=False, verbose=False,
        saltenv='base', source_hash=None, use_etag=False`,
      doc: "The members of an archive (tar, zip, rar); `verbose` separates directories, files and links.\n\n" +
        "    salt '*' archive.list /path/to/myfile.tar.gz verbose=True",
      run: listArchive,
    }),
    "tar(options, tarfile: str, sources=None, dest=None, cwd=None, template=None, runas=None)": {
      doc: "Runs tar with options as on its command line.\n\n" +
        "    salt '*' archive.tar cjvf /tmp/tarfile.tar.bz2 /tmp/file_1,/tmp/file_2\n" +
        "    salt '*' archive.tar xf foo.tar dest=/target/directory",
      async run(context, args) {
        needProgram(context, "tar");
        if (!truthy(args.options)) throw new SaltInvocationError("Tar options can not be empty");
        // Where it writes: to the archive, or below a directory.
        const packs = /^-?[a-z]*[cruA]|--(?:create|append|update|delete|catenate|concatenate)\b/;
        checkProgramPath(
          context,
          packs.test(str(args.options)) ? args.tarfile : str(args.dest ?? args.cwd ?? "."),
          args,
        );
        const dest = truthy(args.dest) ? ["-C", str(args.dest)] : [];
        const words = ["tar", ...splitWords(str(args.options)), args.tarfile, ...dest];
        return await listedLines(context, [...words, ...sourcesOf(context, args.sources)], args);
      },
    },
    gzip: single("gzip", "sourcefile", "Packs a file with gzip.", "/tmp/sourcefile.txt"),
    gunzip: single("gunzip", "gzipfile", "Unpacks a file with gunzip.", "/tmp/sourcefile.txt.gz"),
    zip,
    unzip,
    "cmd_zip(zip_file: str, sources, template=None, cwd=None, runas=None)": {
      doc: "Runs zip; returns its output.\n\n    salt '*' archive.cmd_zip /tmp/zipfile.zip '/tmp/sourcefile*'",
      async run(context, args) {
        needProgram(context, "zip");
        checkProgramPath(context, args.zip_file, args);
        return await listedLines(context, ["zip", "-r", args.zip_file, ...sourcesOf(context, args.sources)], args);
      },
    },
    cmd_unzip: cmdUnzip,
    is_encrypted: isEncrypted,
    "rar(rarfile: str, sources, template=None, cwd=None, runas=None)": {
      doc: "Runs rar to pack files.\n\n    salt '*' archive.rar /tmp/rarfile.rar /tmp/sourcefile1,/tmp/sourcefile2",
      async run(context, args) {
        needProgram(context, "rar");
        checkProgramPath(context, args.rarfile, args);
        return await listedLines(
          context,
          ["rar", "a", "-idp", args.rarfile, ...sourcesOf(context, args.sources)],
          args,
        );
      },
    },
    "unrar(rarfile: str, dest: str, excludes=None, template=None, runas=None, trim_output=False)": {
      doc: "Runs unrar, or rar, to unpack an archive.\n\n    salt '*' archive.unrar /tmp/rarfile.rar /home/strongbad/",
      async run(context, args) {
        needAnyProgram(context, ["unrar", "rar"]);
        const program = programPath(context, "unrar") ?? programPath(context, "rar")!;
        checkProgramPath(context, args.dest, args);
        const excludes = (zipNames(args.excludes) ?? []).flatMap((name) => ["-x", name]);
        const words = [program, "x", "-idp", args.rarfile, ...excludes, args.dest];
        return trimmed(await listedLines(context, words, args), args.trim_output);
      },
    },
  }),
};
