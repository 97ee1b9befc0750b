import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { readOptimizerSteps } from '../grpo-tiny/read-step-rows.ts';

export interface Books {
  /** Steps of the ledger that are in the weights, each with its number. */
  readonly done: number;
  /** Optimiser steps the engine made for the model whose weights were registered, from its creation or restoration on. */
  readonly engine: number;
  /** Of how many sequences the largest of those steps was. */
  readonly largest: number;
}

/** The ledger of a run beside what the engine wrote down about the models of that run. */
export function readBooks(options: { home: string; run: string; engineDirectory: string }): Books {
  const { home, run, engineDirectory } = options;
  using database = new DatabaseSync(join(home, 'lachesis.db'), { readOnly: true });
  const rows = database
    .prepare(
      "SELECT s.step, s.model_id AS modelId FROM steps s JOIN runs r ON r.run_id = s.run_id WHERE r.name = ? AND s.state = 'done' ORDER BY s.step",
    )
    .all(run) as unknown as { step: number; modelId: string }[];
  const last = rows.at(-1)?.modelId ?? '';
  const made = readOptimizerSteps(engineDirectory).get(last) ?? [];
  return { done: rows.length, engine: made.length, largest: Math.max(0, ...made) };
}

/** The seeded fault: a ledger that lost the last step, so that the next process makes it again. */
export function forgetLastStep({ home, run }: { home: string; run: string }): number {
  using database = new DatabaseSync(join(home, 'lachesis.db'));
  const { step } = database
    .prepare(
      "SELECT max(s.step) AS step FROM steps s JOIN runs r ON r.run_id = s.run_id WHERE r.name = ? AND s.state = 'done'",
    )
    .get(run) as { step: number };
  database
    .prepare(
      "UPDATE steps SET state = 'returned', model_id = NULL WHERE step >= ? AND run_id = (SELECT run_id FROM runs WHERE name = ?)",
    )
    .run(step, run);
  return step;
}
