import type { Recipe } from '@lachesis/protocol';
import type { TrajectoryClient } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import type { BatchSource } from './batch-source.ts';
import type { TrainingEngine } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import type { CheckpointRetention } from '../checkpoint-retention.ts';
import type { Publisher } from './publisher.ts';
import type { MetricSink } from '../sinks/metric-sink.ts';
import type { TrainerStatus } from './status.ts';

/** What the parts of a trainer share once the run is known. */
export interface TrainerDeps {
  recipe: Recipe;
  client: TrajectoryClient;
  engine: TrainingEngine;
  journal: Pick<WatchedJournal, 'nextSequence' | 'takenSince'>;
  ledger: StepLedger;
  checkpoints: CheckpointList;
  retention: CheckpointRetention;
  source: BatchSource;
  publisher: Publisher;
  sink: MetricSink;
  clock: Clock;
  /** Milliseconds since 1970. */
  wallClock: () => number;
  log: Logger;
  status: TrainerStatus;
  /** Notes a publication in the store. */
  recordPolicy(policy: { version: number; step: number; weightsPath: string | null }): Promise<void>;
  /** One line a step for a person; not called by default. */
  onLine: (line: string) => void;
}
