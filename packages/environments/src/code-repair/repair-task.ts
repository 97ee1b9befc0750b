/** One call of the function under repair: what goes in, and what must come out, all of it JSON. */
export interface RepairCase {
  readonly args: readonly unknown[];
  /** What is returned, or the name of the error that is thrown. */
  readonly expected: { readonly value: unknown } | { readonly throws: string };
}

/** A small program with one bug. */
export interface RepairTask {
  readonly name: string;
  readonly language: 'typescript' | 'python';
  /** The function that the cases call. */
  readonly entry: string;
  /** What somebody who met the bug wrote down. */
  readonly report: string;
  readonly broken: string;
  /** The reference: one piece of `broken`, and what stands in its place when it is mended. */
  readonly patch: readonly [from: string, to: string];
  /** In the report too: passing these is not enough. */
  readonly shown: RepairCase;
  /** Nobody but the grader sees what must come out; what goes in is seen only by the program, while it is graded. */
  readonly hidden: readonly RepairCase[];
  /** Given as a git repository, with its history cut at the broken state. */
  readonly isRepository?: boolean;
}

export const gives = (args: readonly unknown[], value: unknown): RepairCase => ({ args, expected: { value } });
export const throws = (args: readonly unknown[], error: string): RepairCase => ({ args, expected: { throws: error } });

export const fileOf = ({ name, language }: RepairTask): string =>
  language === 'python' ? `${name.replaceAll('-', '_')}.py` : `${name}.ts`;

export const mend = ({ broken, patch: [from, to] }: RepairTask): string => broken.replace(from, () => to);
