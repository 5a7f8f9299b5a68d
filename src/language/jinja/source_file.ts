/** A template as it was found. */
export interface SourceFile {
  /** What the file is called in messages. */
  path: string;
  source: string;
  /** True for the template that was asked to be rendered; others are imported or included. */
  isMain: boolean;
}
