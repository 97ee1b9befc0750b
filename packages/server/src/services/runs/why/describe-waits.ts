import type { Wait } from '@lachesis/protocol';
import type { Movement } from './follow-movement.ts';
import { problemOf, valueOf, waitOf, type RunFacts } from './run-facts.ts';

/** Who waits for whom at this moment, the trainer first. A run that goes well has waits too: short ones. */
export function describeWaits(facts: RunFacts, movement: Movement): Wait[] {
  return [
    ...waitsOfTrainer(facts, movement),
    ...waitsOfEnvironment(facts, movement),
    ...waitsOfInference(facts, movement),
  ];
}

export function describeBatch({ batchSize, groupSize, ...facts }: RunFacts): string {
  const ledger = valueOf(facts.ledger);
  const needed = groupSize === 0 ? 0 : Math.ceil(batchSize / groupSize);
  const ready = ledger === undefined ? 0 : ledger.pending + ledger.buffered;
  return needed === 0 ? `${ready} groups are ready` : `${ready} of ${needed} groups of the next batch are ready`;
}

function waitsOfTrainer(facts: RunFacts, movement: Movement): Wait[] {
  const engineProblem = problemOf(facts.engine);
  const trainer = valueOf(facts.trainer);
  if (trainer === undefined) return [];
  if (engineProblem !== undefined) {
    const leased = valueOf(facts.ledger)?.leased ?? 0;
    return [
      {
        ...{ who: 'trainer', waits_for: 'engine', since: movement.since['engine'] ?? null },
        holding: leased === 0 ? null : `a batch of ${leased} groups`,
        detail: engineProblem,
      },
    ];
  }
  if (trainer.state !== 'waiting') return [];
  const since = movement.since['trainer-waits'] ?? null;
  return [{ who: 'trainer', waits_for: 'environment', since, holding: null, detail: describeBatch(facts) }];
}

function waitsOfEnvironment(facts: RunFacts, movement: Movement): Wait[] {
  const { environment } = facts;
  const inference = valueOf(facts.inference);
  if (environment.paused !== null) {
    const since = movement.since['environment-paused'] ?? null;
    return [{ who: 'environment', waits_for: 'inference', since, holding: null, detail: environment.paused }];
  }
  const waiting = waitOf(facts);
  if (waiting !== null) {
    const since = movement.since['environment-waits'] ?? null;
    return [{ who: 'environment', waits_for: 'trainer', since, holding: null, detail: waiting }];
  }
  if (inference === undefined || inference.inFlight === 0) return [];
  const holding = `${inference.inFlight} ${inference.inFlight === 1 ? 'call' : 'calls'}`;
  return [
    {
      ...{ who: 'environment', waits_for: 'inference', since: movement.answeredAt, holding },
      detail: inference.problem ?? `${holding} under way, ${inference.answered} answered so far`,
    },
  ];
}

function waitsOfInference(facts: RunFacts, movement: Movement): Wait[] {
  const inference = valueOf(facts.inference);
  if (inference === undefined || (inference.inFlight === 0 && inference.problem === null)) return [];
  const isLimited = facts.limitedAt !== null && facts.limitedAt > movement.answeredAt;
  const since = inference.problem === null ? movement.answeredAt : (movement.since['inference'] ?? null);
  const detail =
    inference.problem ?? (isLimited ? 'the engine answers 429 and asks for time' : 'samples are under way');
  return [{ who: 'inference', waits_for: 'engine', since, holding: `${inference.inFlight} calls`, detail }];
}
