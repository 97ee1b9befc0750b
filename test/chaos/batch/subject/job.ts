/** What a process under test is told to do. */
export interface SubjectJob {
  /** `batch` writes the files too, `worker` only works. */
  readonly role: 'batch' | 'worker';
  /** Tells its calls from those of other lives. */
  readonly life: string;
  readonly modelUrl: string;
  readonly home: string;
  readonly directory: string;
  readonly databaseUrl: string | undefined;
  readonly prompts: number;
  readonly concurrency: number;
  readonly isResuming: boolean;
  /** A fault to be found out. */
  readonly mutant?: 'forgets-turns' | 'takes-living-for-dead' | undefined;
}

export const RUN_NAME = 'run';
export const BATCH_SIZE = 50;

export const promptOf = (index: number): string => `#${index}# say something about ${index % 7}`;
