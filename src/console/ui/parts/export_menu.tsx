import { exported, type ExportFormat, type ExportTable } from "../../export.ts";
import { useStore } from "../store/store_context.ts";
import { Menu, MenuItem } from "./menu.tsx";
import { pauses } from "./hooks.ts";

const TYPES: Record<ExportFormat, string> = { csv: "text/csv;charset=utf-8", json: "application/json" };
const LABELS: Record<ExportFormat, string> = { csv: "CSV, for a spreadsheet", json: "JSON" };
/** How long the file is kept, in milliseconds: the browser reads it a moment after the click. */
const KEPT_MS = 60_000;

/** The menu that saves the list of the page as a file. */
export function ExportMenu({ table }: { table(): ExportTable | Promise<ExportTable> }) {
  const store = useStore();
  const save = async (format: ExportFormat) => {
    try {
      const made = await table();
      await download(`${made.fileName}.${format}`, TYPES[format], exported(made, format));
    } catch (error) {
      store.notices.fail(error);
    }
  };
  return (
    <Menu icon="save" label="Export" title="Export the list to a file">
      {(close) =>
        (["csv", "json"] as const).map((format) => (
          <MenuItem
            key={format}
            onClick={() => {
              close();
              void save(format);
            }}
          >
            {LABELS[format]}
          </MenuItem>
        ))}
    </Menu>
  );
}

async function download(name: string, type: string, pieces: Iterable<string>): Promise<void> {
  const parts: string[] = [];
  const pause = pauses();
  for (const piece of pieces) {
    parts.push(piece);
    if (pause.due()) await pause.next();
  }
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
