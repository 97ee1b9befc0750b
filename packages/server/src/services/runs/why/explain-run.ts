import {
  isFinalRunState,
  type LearningFinding,
  type RunRole,
  type STALL_CAUSES,
  type Wait,
  type WhyReply,
} from '@lachesis/protocol';
import { describeBatch, describeWaits } from './describe-waits.ts';
import type { Movement } from './follow-movement.ts';
import { judgeLearning } from './learning/judge-learning.ts';
import { hasLearned, NOTHING_KNOWN, readReward, type Learning } from './learning/learning.ts';
import { problemOf, valueOf, waitOf, type ProcessFacts, type RunFacts } from './run-facts.ts';

type Cause = (typeof STALL_CAUSES)[number];

interface Finding {
  cause: Cause;
  message: string;
  hint: string | null;
  /** Who waits, when the parts themselves do not say it. */
  wait?: Wait;
}

/** Grading and sampling take seconds; nothing at all for this long is a stall, and leaves time to be told within a minute. */
const QUIET_MS = 15_000;

/**
 * What holds a run up. The causes are tried from the one that explains most to the one that explains least: without an
 * engine the environment also gets no answers, and the trainer no groups.
 */
export function explainRun(facts: RunFacts, movement: Movement, learning: Learning = NOTHING_KNOWN): WhyReply {
  const { wait, ...found } = RULES.reduce<Finding | undefined>(
    (known, rule) => known ?? rule(facts, movement, learning),
    undefined,
  ) ?? { cause: 'none' as const, message: describeMovement(facts, learning), hint: null };
  const waits = describeWaits(facts, movement);
  return {
    run_id: facts.run.shortId,
    status: facts.run.state,
    ...found,
    waits: wait === undefined ? waits : [wait, ...waits.filter(({ who }) => who !== wait.who)],
    learning: judgeLearning(learning),
    event_loop_lag: { ...facts.lag },
  };
}

type Rule = (facts: RunFacts, movement: Movement, learning: Learning) => Finding | undefined;

const RULES: readonly Rule[] = [
  findEnd,
  findElsewhere,
  findEngineDown,
  findNoTrainer,
  findRestarts,
  findStarting,
  findUnpackable,
  findRefusal,
  findHungVerifier,
  findSilence,
  findNotLearning,
];

function findEnd({ run }: RunFacts, _movement: Movement, learning: Learning): Finding | undefined {
  if (!isFinalRunState(run.state)) return undefined;
  const [found] = judgeLearning(learning);
  const rest = found === undefined ? '' : ` It did not learn as it could: ${found.message}.`;
  return {
    cause: 'run-ended',
    message: `The run has ended: ${run.reason ?? run.state}.${rest}`,
    hint: found === undefined ? null : writeHint(found),
  };
}

/** Whoever asks here cannot tell more: addresses and pids mean something on the other machine only. */
function findElsewhere({ otherHost, processes, run }: RunFacts): Finding | undefined {
  if (otherHost === null) return undefined;
  return {
    cause: 'other-host',
    message: `The processes of the run are on ${otherHost}, another machine than this server's: it is not looked after from here (${processes.map(describeProcess).join('; ')}).`,
    hint: `Start the control server on ${otherHost}, or end the run with \`lachesis stop ${run.shortId}\`; what still runs there is ended when a control server is back.`,
  };
}

function findEngineDown({ engine }: RunFacts): Finding | undefined {
  const problem = problemOf(engine);
  if (problem === undefined) return undefined;
  return {
    cause: 'engine-down',
    message: `The training engine does not answer: ${problem}. Trainer and inference wait for it.`,
    hint: 'Start it again at the same address (`lachesis engine status`, `lachesis engine up`); the run goes on by itself.',
  };
}

function findNoTrainer(facts: RunFacts, movement: Movement): Finding | undefined {
  const process = processOf(facts, 'trainer');
  const problem = problemOf(facts.trainer);
  if (facts.run.state !== 'running' && (process?.restarts ?? 0) === 0) return undefined;
  if (problem === undefined) return undefined;
  const ledger = valueOf(facts.ledger);
  const waiting = ledger === undefined ? 0 : ledger.pending + ledger.buffered + ledger.formed + ledger.leased;
  const how = process === undefined ? 'there is none' : describeProcess(process);
  const detail = `${problem}; its process: ${how}`;
  return {
    cause: 'no-trainer',
    message: `There is no trainer that answers: ${detail}.`,
    hint: `Read its log: \`lachesis logs ${facts.run.shortId} trainer\`. One that has died is started again; one that hangs can be ended by its pid.`,
    wait: {
      ...{ who: 'environment', waits_for: 'trainer', since: movement.since['trainer'] ?? null, detail },
      holding: waiting === 0 ? null : `${waiting} groups wait in the trajectory API`,
    },
  };
}

function findRestarts(facts: RunFacts, movement: Movement): Finding | undefined {
  const problem = problemOf(facts.ledger);
  const names = { api: 'trajectory API', trainer: 'trainer', env: 'environment' } as const;
  const down = facts.processes.find(
    ({ state, restarts }) => state === 'dead' || (restarts > 0 && (state === 'waiting' || state === 'starting')),
  );
  if (down !== undefined) {
    return {
      cause: 'process-restarts',
      message: `The ${names[down.role]} of the run has ended and is being started again: ${describeProcess(down)}.`,
      hint: `Read its log: GET /runs/{id}/logs/${down.role}. Five ends within ten minutes end the run.`,
    };
  }
  if (facts.run.state !== 'running') return undefined;
  const environment = processOf(facts, 'env');
  if (environment?.state === 'ended' || environment?.state === 'stopped') {
    return {
      cause: 'no-environment',
      message: `The environment has ended and sends no groups: ${environment.reason ?? 'it had nothing more to do'}.`,
      hint: 'Read its log: GET /runs/{id}/logs/env. The run needs an environment that goes on until the last step.',
    };
  }
  if (problem === undefined) return undefined;
  return {
    cause: 'process-restarts',
    message: `The trajectory API does not answer: ${problem}.`,
    hint: 'Read its log: GET /runs/{id}/logs/api. When its process has died it is started again.',
    wait: {
      ...{ who: 'environment', waits_for: 'trajectory-api', since: movement.since['api'] ?? null },
      ...{ holding: null, detail: problem },
    },
  };
}

function findStarting({ run, processes }: RunFacts): Finding | undefined {
  if (run.state !== 'pending' && run.state !== 'starting' && run.state !== 'stopping') return undefined;
  const next = processes.find(({ state }) => state !== 'running');
  const detail =
    run.state === 'stopping'
      ? 'its processes are being ended'
      : next === undefined
        ? 'all processes answer'
        : `its ${next.role} is ${next.state}`;
  return {
    ...{ cause: 'none', message: `The run is ${run.state}: ${detail}.`, hint: null },
    wait: { who: 'supervisor', waits_for: next?.role ?? 'nothing', since: run.changedAt, holding: null, detail },
  };
}

const UNFIT = /^(unfit-size|larger-than-group-size)/;

/** Groups come and none of them can become part of a batch. */
function findUnpackable(facts: RunFacts, movement: Movement): Finding | undefined {
  const ledger = valueOf(facts.ledger);
  if (ledger === undefined || ledger.formed + ledger.leased > 0) return undefined;
  const { batchSize, groupSize } = facts;
  const reason = facts.quarantine.find((each) => UNFIT.test(each));
  const isPiledUp =
    batchSize > 0 &&
    ledger.pending * groupSize >= 2 * batchSize &&
    valueOf(facts.trainer)?.state === 'waiting' &&
    facts.at - movement.stepAt >= QUIET_MS;
  if (reason === undefined && !isPiledUp) return undefined;
  // Some were set aside, and others are trained on.
  if (reason !== undefined && facts.at - movement.stepAt < QUIET_MS && ledger.trained > 0) return undefined;
  const detail = reason ?? `${ledger.pending} groups of ${groupSize} wait and make up no batch of ${batchSize}`;
  return {
    cause: 'groups-cannot-pack',
    message: `Groups arrive and cannot make up a batch: ${detail} (${ledger.quarantined} set aside).`,
    hint: `Choose a group_size that divides batch_size (${batchSize}); now it is ${groupSize}. This needs a new run.`,
    wait: {
      ...{ who: 'trainer', waits_for: 'environment', since: movement.since['trainer-waits'] ?? null, detail },
      holding: null,
    },
  };
}

/** A single refusal that is answered at the next try holds nobody up. */
const REFUSED_MS = 5_000;
const TOO_MANY = /\b429\b|too many requests|rate limit/i;

function findRefusal(facts: RunFacts, movement: Movement): Finding | undefined {
  const inference = valueOf(facts.inference);
  const last = Math.max(movement.refusedAt ?? 0, facts.limitedAt ?? 0);
  // Refusals are an ordinary way to ask for time; without an answer since then they are what holds the run up.
  const isLasting = facts.at - movement.answeredAt >= REFUSED_MS;
  const isRefused = isLasting && last > 0 && last >= movement.answeredAt && facts.at - last < 2 * QUIET_MS;
  const isTold = [facts.environment.paused, inference?.problem].some((text) => TOO_MANY.test(text ?? ''));
  if (!isRefused && !isTold) return undefined;
  const since = movement.answeredAt;
  const seconds = Math.round((facts.at - since) / 1000);
  const who = (facts.limitedAt ?? 0) > (movement.refusedAt ?? 0) ? 'the engine' : 'the inference server';
  const detail = `429 since ${seconds} s: ${who} takes no more calls`;
  return {
    cause: 'inference-refuses',
    message: `The environment waits for inference: ${detail}.`,
    hint: 'Look at the limits of that server or account; fewer calls at once: max_num_workers of the recipe.',
    wait: {
      ...{ who: 'environment', waits_for: 'inference', since, detail },
      holding: inference === undefined ? null : `${inference.inFlight} calls`,
    },
  };
}

/** Everything was answered, nothing is under way, and no group comes: what is left is the environment's own work. */
function findHungVerifier(facts: RunFacts, movement: Movement): Finding | undefined {
  const inference = valueOf(facts.inference);
  const { paused } = facts.environment;
  const isTold = paused !== null && /the last: (verifier|timeout),/.test(paused);
  const isIdle =
    inference !== undefined &&
    inference.problem === null &&
    inference.inFlight === 0 &&
    inference.answered > 0 &&
    waitOf(facts) === null &&
    valueOf(facts.trainer)?.state === 'waiting' &&
    isQuiet(facts, movement);
  if (!isTold && !isIdle) return undefined;
  const since = Math.max(movement.answeredAt, movement.producedAt);
  const seconds = Math.round((facts.at - since) / 1000);
  const detail = isTold
    ? paused
    : `every reply was delivered, and none was scored for ${seconds} s; ${describeBatch(facts)}`;
  return {
    cause: 'verifier-hangs',
    message: `The environment waits for its verifier: ${detail}.`,
    hint: 'Look at what its reward function calls (a sandbox, a judge, a server), and give it a time limit: env.worker_timeout ends a rollout.',
    wait: { who: 'environment', waits_for: 'verifier', since, holding: 'replies that are not scored', detail },
  };
}

/** Nothing moves and no rule knows why: what was seen is told. */
function findSilence(facts: RunFacts, movement: Movement): Finding | undefined {
  const isBusy = ['training', 'publishing', 'evaluating'].includes(valueOf(facts.trainer)?.state ?? '');
  if (isBusy || !isQuiet(facts, movement, 4 * QUIET_MS)) return undefined;
  const inference = valueOf(facts.inference);
  const asked = inference === undefined ? 0 : inference.answered + inference.inFlight;
  const hasAsked = asked > 0;
  return {
    cause: hasAsked ? 'unknown' : 'no-environment',
    message: hasAsked
      ? `Nothing has moved for ${Math.round((facts.at - lastMove(movement)) / 1000)} s: ${describeProgress(facts)}`
      : `The environment has not asked for a single completion: ${waitOf(facts) ?? 'it is loading, or hangs in its setup'}.`,
    hint: `Read the logs: \`lachesis logs ${facts.run.shortId} env\` and \`lachesis logs ${facts.run.shortId} trainer\`.`,
  };
}

/** They cost, and a run may learn all the same. */
const COSTLY: ReadonlySet<LearningFinding['cause']> = new Set([
  'temperature',
  'template-without-tools',
  'verifier-fails',
]);

/** It goes on, and that is not all that people want of it. */
function findNotLearning(facts: RunFacts, _movement: Movement, learning: Learning): Finding | undefined {
  const [found] = judgeLearning(learning);
  if (found === undefined) return undefined;
  if (hasLearned(learning) && COSTLY.has(found.cause)) {
    return {
      cause: 'none',
      message: `${describeMovement(facts, learning)} One thing speaks against it: ${found.message}.`,
      hint: writeHint(found),
    };
  }
  return {
    cause: 'not-learning',
    message: `The run goes on and does not learn: ${found.message}. ${describeProgress(facts)}`,
    hint: writeHint(found),
  };
}

const writeHint = ({ command }: LearningFinding): string => `Type: ${command}`;

/** That a run moves is said of one that learns; before that is known, it goes on. */
function describeMovement(facts: RunFacts, learning: Learning): string {
  const reward = readReward(learning);
  if (reward === undefined)
    return `The run goes on; it is too early to say whether it learns: ${describeProgress(facts)}`;
  if (!hasLearned(learning)) {
    return `The run goes on, and its reward has not risen yet (${reward.now.toFixed(3)} at step ${reward.steps}): ${describeProgress(facts)}`;
  }
  return `The run moves and learns: its reward was ${reward.before.toFixed(3)} at first and is ${reward.now.toFixed(3)}; ${describeProgress(facts)}`;
}

const lastMove = ({ stepAt, producedAt, answeredAt }: Movement): number => Math.max(stepAt, producedAt, answeredAt);

const isQuiet = ({ at }: RunFacts, movement: Movement, forMs = QUIET_MS): boolean => at - lastMove(movement) >= forMs;

const processOf = ({ processes }: RunFacts, role: RunRole): ProcessFacts | undefined =>
  processes.find((process) => process.role === role);

function describeProcess({ state, restarts, reason }: ProcessFacts): string {
  const often = restarts === 0 ? '' : `, started again ${restarts === 1 ? 'once' : `${restarts} times`}`;
  return `${state}${often}${reason === null ? '' : `, last end: ${reason}`}`;
}

function describeProgress(facts: RunFacts): string {
  const trainer = valueOf(facts.trainer);
  const at = trainer === undefined ? '' : `step ${trainer.step}, the trainer is ${trainer.state}; `;
  return `${at}${describeBatch(facts)}.`;
}
