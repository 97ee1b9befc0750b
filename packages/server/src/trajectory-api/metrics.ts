import { Counter, Gauge, type Registry } from 'prom-client';
import type { OpenRun } from './run-directory.ts';
import { readLedger } from './queue/ledger.ts';

export const INGEST_PHASES = ['gunzip', 'parse', 'pack', 'deflate', 'hash', 'write'] as const;
export type IngestPhase = (typeof INGEST_PHASES)[number];

/** Counters of the trajectory API. Labels are runs and reasons, never group or rollout ids. */
export class TrajectoryMetrics {
  readonly accepted: Counter;
  readonly replayed: Counter;
  readonly quarantined: Counter;
  readonly delivered: Counter;
  readonly fenced: Counter;
  readonly refused: Counter;
  readonly #phases: Counter;

  constructor(registry: Registry, runs: () => readonly OpenRun[]) {
    const registers = [registry];
    this.accepted = new Counter({
      name: 'lachesis_groups_accepted_total',
      help: 'Groups on disk and acknowledged.',
      labelNames: ['api'],
      registers,
    });
    this.replayed = new Counter({
      name: 'lachesis_idempotent_replays_total',
      help: 'Pushes recognised as a retry.',
      labelNames: ['api'],
      registers,
    });
    this.quarantined = new Counter({
      name: 'lachesis_groups_quarantined_total',
      help: 'Groups set aside on arrival.',
      registers,
    });
    this.delivered = new Counter({
      name: 'lachesis_batches_delivered_total',
      help: 'Batches written to a plain trainer or acknowledged by a native one.',
      labelNames: ['api'],
      registers,
    });
    this.fenced = new Counter({
      name: 'lachesis_acks_fenced_total',
      help: 'Answers refused because the lease had moved on.',
      registers,
    });
    this.refused = new Counter({
      name: 'lachesis_back_pressure_total',
      help: 'Pushes refused or held back because a bound was exceeded.',
      labelNames: ['api'],
      registers,
    });
    this.#phases = new Counter({
      name: 'lachesis_ingest_phase_seconds_total',
      help: 'Time spent per step of taking in a group.',
      labelNames: ['phase'],
      registers,
    });
    const places = new Gauge({
      name: 'lachesis_groups',
      help: 'Where the groups of a run are now.',
      labelNames: ['run', 'place'],
      registers,
      collect: () => {
        places.reset();
        for (const run of runs()) {
          const state = run.queue.cached;
          if (state === null) continue;
          const { dropped, ...counts } = readLedger(state);
          for (const [place, count] of Object.entries(counts)) places.set({ run: run.queue.runName, place }, count);
          for (const [reason, count] of Object.entries(dropped))
            places.set({ run: run.queue.runName, place: `dropped-${reason}` }, count);
        }
      },
    });
  }

  addPhases(secondsByPhase: Partial<Record<IngestPhase, number>>): void {
    for (const [phase, seconds] of Object.entries(secondsByPhase)) this.#phases.inc({ phase }, seconds);
  }
}
