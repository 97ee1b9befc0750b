import type { Clock } from '@lachesis/protocol';
import type { CheckpointList, StepLedger } from '@lachesis/store';
import type { Logger } from 'pino';
import type { TrainingEngine } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import type { CheckpointRetention } from '../checkpoint-retention.ts';
import type { MetricSink } from '../sinks/metric-sink.ts';
import type { RecordExample, RecordMethod } from './method.ts';
import type { RowOrder } from './order-rows.ts';
import type { ReferenceCache } from './reference-logprobs.ts';
import type { RecordTrainingSettings } from './settings.ts';

/** What happens, for whoever waits. */
export interface RecordTrainingProgress {
  readonly phase: 'connect' | 'read' | 'reference' | 'train' | 'evaluate' | 'save' | 'done';
  /** One sentence for a person. */
  readonly detail: string;
  readonly step: number;
  readonly totalSteps: number;
  /** Of the step that has just ended. */
  readonly metrics?: Readonly<Record<string, number>> | undefined;
}

/** What the parts of a training from records share. */
export interface RecordDeps {
  method: RecordMethod;
  settings: RecordTrainingSettings;
  /** Without the logprobs of the reference; the training adds them where the method asks. */
  examples: readonly RecordExample[];
  measured: readonly RecordExample[];
  order: RowOrder;
  /** Names the batches in the ledger. */
  datasetId: string;
  engine: TrainingEngine;
  journal: Pick<WatchedJournal, 'nextSequence' | 'takenSince'>;
  ledger: StepLedger;
  checkpoints: CheckpointList;
  retention: CheckpointRetention;
  reference: ReferenceCache;
  sink: MetricSink;
  clock: Clock;
  /** Milliseconds since 1970. */
  wallClock: () => number;
  log: Logger;
  signal: AbortSignal;
  onProgress: (progress: RecordTrainingProgress) => void;
}
