/** What dumpe2fs prints. */
import { splitLines, splitWords } from "../../../language/python/text.ts";

interface Group {
  group: string;
  range: string;
  extra: string[];
  "free blocks"?: string[];
  "free inodes"?: string[];
}

interface FileSystemDump {
  attributes: Record<string, string | string[]>;
  blocks: Record<string, Group>;
}

const partsAfterColon = (line: string): string[] => line.split(": ")[1]?.split(", ") ?? [];

/** Parameters, then groups of blocks, of which each begins with a line `Group 0: (Blocks 1-8192) …`. */
export function parseDump(text: string): FileSystemDump {
  const found: FileSystemDump = { attributes: {}, blocks: {} };
  let group: Group | undefined;
  for (const line of splitLines(text)) {
    if (line === "" || line.startsWith("dumpe2fs")) continue;
    if (line.startsWith("Group") && !(group === undefined && line.startsWith("Group descriptor size"))) {
      const words = splitWords(line.replace(/[:()[\]]/g, ""));
      group = { group: words[1] ?? "", range: words[3] ?? "", extra: [] };
      found.blocks[`Group ${group.group}`] = group;
    } else if (group === undefined) {
      const [name = "", value] = line.replaceAll("\t", " ").split(": ");
      if (value === undefined) continue;
      found.attributes[name] = name.startsWith("Filesystem features") ? splitWords(value) : value.trim();
    } else if (line.includes("Free blocks:")) group["free blocks"] = partsAfterColon(line);
    else if (line.includes("Free inodes:")) group["free inodes"] = partsAfterColon(line);
    else group.extra.push(line.trim());
  }
  return found;
}
