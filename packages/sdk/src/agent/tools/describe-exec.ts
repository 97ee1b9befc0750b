import type { ExecEnd, ExecResult } from '../../sandbox/sandbox.ts';

/** What the model reads of a command that ended. */
export interface ExecAnswer {
  output: string;
  exit_code: number | null;
  /** Only when it did not end by itself. */
  note?: string;
}

const ENDS: Readonly<Record<Exclude<ExecEnd, 'exited'>, string>> = {
  timeout: 'it took too long and was ended; start long work with the process tool',
  memory: 'it used too much memory and was ended',
  output: 'it printed too much and was ended; what is shown is the beginning',
  cpu: 'it used too much processor time and was ended',
  killed: 'it was ended from outside',
};

export function describeExec({ output, exitCode, end, isTruncated }: ExecResult): ExecAnswer {
  const note = end === 'exited' ? (isTruncated ? 'the output was cut' : undefined) : ENDS[end];
  return { output, exit_code: exitCode, ...(note === undefined ? {} : { note }) };
}
