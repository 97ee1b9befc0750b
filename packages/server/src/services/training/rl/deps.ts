import type { Recipe } from '@lachesis/protocol';
import type { TrajectoryClient } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import type { BatchSource } from './batch-source.ts';
import type { TrainingEngine } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import type { CheckpointRetention } from '../checkpoint-retention.ts';
import type { Rounds } from './environments/rounds.ts';
import type { OwnCode } from './own-code/own-code.ts';
import type { Publisher } from './publisher.ts';
import type { MetricSink } from '../sinks/metric-sink.ts';
import type { ReferenceRecord } from './rlhf/resetting-reference.ts';
import type { RolloutRecorder } from './rollouts/rollout-recorder.ts';
import type { TrainerStatus } from './status.ts';

/** What the parts of a trainer share once the run is known. */
export interface TrainerDeps {
  recipe: Recipe;
  /** What the recipe names by file. */
  own: OwnCode;
  client: TrajectoryClient;
  engine: TrainingEngine;
  journal: Pick<WatchedJournal, 'nextSequence' | 'takenSince'>;
  ledger: StepLedger;
  checkpoints: CheckpointList;
  retention: CheckpointRetention;
  /** Notes in the registry what is in the list of checkpoints. A failure is tried again with the next checkpoint. */
  registerCheckpoints(): Promise<void>;
  source: BatchSource;
  /** Whether an environment goes by the steps of the trainer; those that count batches end before a run that does not count all. */
  followsSteps(): boolean;
  /** Tells environments that the batch of a step makes none. */
  freeStep(step: number): void;
  /** When environments of a strictly on-policy run may sample. */
  rounds: Rounds;
  publisher: Publisher;
  sink: MetricSink;
  /** Where it is kept which weights the KL divergence is taken from, when they change; absent where nobody starts again. */
  reference?: ReferenceRecord | undefined;
  /** Keeps the rollouts of each step readable; absent where nobody will read them. */
  rollouts?: RolloutRecorder | undefined;
  clock: Clock;
  /** Milliseconds since 1970. */
  wallClock: () => number;
  log: Logger;
  status: TrainerStatus;
  /** US dollars of the run so far, after so many more tokens were trained on; absent where no price is known. */
  measureCost?: ((trainedTokens: number) => Promise<number>) | undefined;
  /** Notes a publication in the store. */
  recordPolicy(policy: { version: number; step: number; weightsPath: string | null }): Promise<void>;
  /** One line a step for a person; not called by default. */
  onLine: (line: string) => void;
}
