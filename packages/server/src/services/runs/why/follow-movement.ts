import { problemOf, valueOf, type RunFacts } from './run-facts.ts';

/** What changes when a run moves, and since when it has not. */
export interface Movement {
  step: number;
  stepAt: number;
  produced: number;
  producedAt: number;
  answered: number;
  answeredAt: number;
  refused: number;
  /** When a call was last refused; null when none was seen. */
  refusedAt: number | null;
  /** Since when each thing is as it is, by its name. */
  since: Readonly<Record<string, number>>;
}

/** Things that may last; each is asked of the facts of one moment. */
const LASTING: Readonly<Record<string, (facts: RunFacts) => boolean>> = Object.freeze({
  engine: ({ engine }) => problemOf(engine) !== undefined,
  trainer: ({ trainer }) => problemOf(trainer) !== undefined,
  api: ({ ledger }) => problemOf(ledger) !== undefined,
  inference: ({ inference }) => valueOf(inference)?.problem !== null && valueOf(inference) !== undefined,
  'trainer-waits': ({ trainer }) => valueOf(trainer)?.state === 'waiting',
  'environment-waits': ({ environment }) => environment.waiting !== null,
  'environment-paused': ({ environment }) => environment.paused !== null,
  limited: ({ limitedAt }) => limitedAt !== null,
});

/** Joins what was seen before with what is seen now. A number that went down belongs to a process that began anew. */
export function followMovement(before: Movement | undefined, facts: RunFacts): Movement {
  const { at } = facts;
  const inference = valueOf(facts.inference);
  const step = valueOf(facts.trainer)?.step ?? before?.step ?? 0;
  const produced = valueOf(facts.ledger)?.produced ?? before?.produced ?? 0;
  const answered = inference?.answered ?? before?.answered ?? 0;
  const refused = inference?.refused ?? before?.refused ?? 0;
  const since = Object.entries(LASTING).flatMap(([name, lasts]) =>
    lasts(facts) ? [[name, before?.since[name] ?? at] as const] : [],
  );
  return {
    step,
    stepAt: step === before?.step ? before.stepAt : at,
    produced,
    producedAt: produced === before?.produced ? before.producedAt : at,
    answered,
    answeredAt: answered === before?.answered ? before.answeredAt : at,
    refused,
    refusedAt: refused > (before?.refused ?? 0) ? at : (before?.refusedAt ?? null),
    since: Object.fromEntries(since),
  };
}
