/** Rows and fields of CSV: fields between quotes may have commas, line feeds, and quotes as two. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let isRow = false;
  const end = () => {
    rows.push(row);
    row = [];
    isRow = false;
  };
  for (const [whole, quoted, plain = "", stop] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    // The end of the text is found once more behind its last line feed.
    if (whole === "" && !isRow) break;
    row.push(quoted === undefined ? plain.replace(/\r$/, "") : quoted.replaceAll('""', '"'));
    isRow = stop === ",";
    if (!isRow) end();
  }
  return rows;
}
