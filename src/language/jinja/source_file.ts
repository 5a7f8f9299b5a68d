export interface SourceFile {
  path: string;
  source: string;
  /** True for the rendered template itself; false for imported or included ones. */
  isMain: boolean;
}
