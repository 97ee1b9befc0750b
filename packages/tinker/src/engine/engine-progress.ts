/** What the keeper is doing, in the order in which it happens. */
export type EngineStep = 'wait' | 'python' | 'venv' | 'install' | 'download' | 'model' | 'start';

/** What is done right now to get an engine running, in one line. */
export interface EngineProgress {
  readonly step: EngineStep;
  /** One line for a person. */
  readonly message: string;
}

export type OnEngineProgress = (progress: EngineProgress) => void;
