/** What each kind of job takes and gives; buffers are transferred in both directions. */
export type JobTable = Record<string, { request: unknown; result: unknown }>;

/** A job without its number. */
export type JobOrder<Jobs extends JobTable> = {
  [Kind in keyof Jobs & string]: { kind: Kind; request: Jobs[Kind]['request'] };
}[keyof Jobs & string];

export type JobMessage<Jobs extends JobTable> = JobOrder<Jobs> & { id: number };

/** One answer per message, in any order. */
export type JobAnswer = { id: number } & (
  | { result: unknown }
  | { failure: { message: string; isRetryable?: boolean; stack?: string } }
);
