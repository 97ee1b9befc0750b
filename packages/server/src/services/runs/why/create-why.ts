import { isFinalRunState, type WhyReply } from '@lachesis/protocol';
import type { RunProcessRecord, TrainingRun } from '@lachesis/store';
import { collectFacts, type CollectParts } from './collect-facts.ts';
import { explainRun } from './explain-run.ts';
import { followMovement, type Movement } from './follow-movement.ts';
import type { Learning } from './learning/learning.ts';
import type { RunFacts } from './run-facts.ts';

export interface WhyParts extends CollectParts {
  processes: (run: TrainingRun) => Promise<RunProcessRecord[]>;
  /** Its settings, how it began and how it stands. */
  learning: (run: TrainingRun) => Promise<Learning>;
}

export interface Why {
  /** Notes how a run stands now, so that a later answer knows since when. */
  observe(run: TrainingRun): Promise<RunFacts>;
  explain(run: TrainingRun): Promise<WhyReply>;
  /** Keeps what is known of these runs alone. */
  forgetOthers(runIds: ReadonlySet<string>): void;
}

/** Answers why a run waits, or does not learn. What it remembers is since when: a server that was started again counts from its start. */
export function createWhy(parts: WhyParts): Why {
  const seen = new Map<string, Movement>();
  const observe = async (run: TrainingRun): Promise<RunFacts> => {
    const facts = await collectFacts(parts, run, await parts.processes(run));
    const movement = followMovement(seen.get(run.runId), facts);
    if (!isFinalRunState(run.state)) seen.set(run.runId, movement);
    return facts;
  };
  return {
    observe,
    async explain(run) {
      const [facts, learning] = await Promise.all([observe(run), parts.learning(run)]);
      return explainRun(facts, seen.get(run.runId) ?? followMovement(undefined, facts), learning);
    },
    forgetOthers(runIds) {
      for (const runId of seen.keys()) if (!runIds.has(runId)) seen.delete(runId);
    },
  };
}
