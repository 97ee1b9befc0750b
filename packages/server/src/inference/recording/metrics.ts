import { Counter, type Registry } from 'prom-client';

/** What recording counts. */
export class RecordingMetrics {
  readonly recorded: Counter;
  readonly lost: Counter;
  readonly drained: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.recorded = new Counter({
      name: 'lachesis_inference_recorded_calls_total',
      help: 'Calls written to the outbox.',
      registers,
    });
    this.lost = new Counter({
      name: 'lachesis_inference_unrecorded_calls_total',
      help: 'Calls that could not be written to the outbox; each leaves a gap in its trajectory.',
      registers,
    });
    this.drained = new Counter({
      name: 'lachesis_inference_drained_records_total',
      help: 'Records brought from the outbox into the store.',
      registers,
    });
  }
}
