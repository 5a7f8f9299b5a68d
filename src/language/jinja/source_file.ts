/** The file of a template. */
export interface SourceFile {
  /** The path of the file, for messages. */
  path: string;
  source: string;
  /** True for the rendered template itself; false for imported or included ones. */
  isMain: boolean;
}
