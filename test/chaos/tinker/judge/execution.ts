/** Something the server has on record as carried out. */
export interface Execution {
  readonly key: string;
  /** Undefined for a sample. */
  readonly modelId: string | undefined;
  /** The number it was carried out under. */
  readonly seqId: number | undefined;
  /** Numbers of the result, to be held against what the client has. */
  readonly result: readonly number[] | undefined;
}
