import type { Random } from '@lachesis/sdk/environment';
import type { LaidFiles } from '../work-folder/write-files.ts';

/** What must be there at the end. All of it is compared here; none of it is ever in a sandbox. */
export type TerminalCheck =
  /** Files with these texts; space at their ends does not count. */
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, string>> }
  /** A folder that holds these files and links and no others. Folders count only where they are named, with a slash. */
  | { readonly kind: 'tree'; readonly root: string; readonly entries: Readonly<Record<string, ExpectedEntry>> }
  /** A script that prints this where there are other files than the agent saw. */
  | { readonly kind: 'program'; readonly script: string; readonly runs: readonly ProgramRun[] };

export interface ExpectedEntry {
  readonly text?: string;
  readonly mode?: number;
  readonly link?: string;
}

export interface ProgramRun {
  readonly files: LaidFiles;
  readonly words: readonly string[];
  readonly prints: string;
}

export interface MadeTask {
  readonly instruction: string;
  readonly files: LaidFiles;
  readonly check: TerminalCheck;
  /** Shell commands that do it. */
  readonly solution: string;
}

/** One kind of task. Each seed makes another folder, so an answer that was learnt by heart is wrong the next time. */
export interface TerminalTask {
  readonly name: string;
  readonly make: (random: Random) => MadeTask;
}
