import { countForeignCores, sampleMachine } from '../../../kit/machine-noise.ts';
import { startScriptedModel } from '../../../kit/start-scripted-model.ts';
import type { Exchange } from '../../../kit/start-scripted-model.ts';
import { ANSWER, COMMANDS, TASK } from '../task/commands.ts';
import { createScript } from '../task/script.ts';
import type { Contender } from './contenders.ts';

export interface MeasureOptions {
  readonly contender: Contender;
  readonly groups: number;
  readonly groupSize: number;
  readonly thinkMs: () => number;
  /** So many of the task's commands; all of them by default. With fewer nobody comes to the right answer. */
  readonly commandCount?: number;
  readonly cwd: string;
  readonly timeoutMs: number;
}

export interface Turn {
  /** Which command of the rollout it was. */
  readonly place: number;
  /** From the last byte of the model's answer to the whole next question: all that is not the model. */
  readonly gapMs: number;
}

export interface MeasuredRollouts {
  /** Answers a second, from the first question to the last answer; the program's own start is not in it. */
  readonly rolloutsPerSecond: number;
  readonly turns: readonly Turn[];
  readonly rollouts: number;
  /** Rollouts that did the task. */
  readonly solved: number;
  readonly foreignCores: number;
}

/** Lets a contender roll out against a canned model, whose clock is the only one that is looked at. */
export async function measureRollouts(options: MeasureOptions): Promise<MeasuredRollouts> {
  const exchanges: Exchange[] = [];
  const commands = COMMANDS.slice(0, options.commandCount);
  const model = await startScriptedModel(createScript(commands), {
    thinkMs: options.thinkMs,
    onExchange: (exchange) => {
      // Servers are asked for their health in the same way.
      if (exchange.conversation[0]?.content?.includes(TASK) === true) exchanges.push(exchange);
    },
  });
  const before = sampleMachine([process.pid]);
  try {
    await using running = await options.contender({ ...options, url: model.url });
    const timer = setTimeout(() => running.signal('SIGKILL'), options.timeoutMs);
    const { code, signal } = await running.exited;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`${running.name} ended with ${signal ?? `code ${code}`}:\n${running.logs()}`);
  } finally {
    await model.close();
  }
  return {
    ...summarise(exchanges, commands.length),
    foreignCores: countForeignCores(before, sampleMachine([process.pid])),
  };
}

function summarise(exchanges: readonly Exchange[], commandCount: number): Omit<MeasuredRollouts, 'foreignCores'> {
  const byCall = new Map(
    exchanges.flatMap((each) => (each.callId === undefined ? [] : [[each.callId, each] as const])),
  );
  const turns = exchanges.flatMap(({ conversation, askedAt }): Turn[] => {
    const before = byCall.get(conversation.at(-1)?.tool_call_id ?? '');
    if (before === undefined) return [];
    const place = conversation.filter(({ role }) => role === 'tool').length - 1;
    return [{ place, gapMs: askedAt - before.answeredAt }];
  });
  const answers = exchanges.flatMap(({ step }) => ('say' in step ? [step.say] : []));
  if (turns.length !== answers.length * commandCount) {
    throw new Error(`${answers.length} rollouts and ${turns.length} turns: some rollout was broken off or repeated`);
  }
  const seconds =
    (Math.max(...exchanges.map(({ answeredAt }) => answeredAt)) -
      Math.min(...exchanges.map(({ askedAt }) => askedAt))) /
    1000;
  return {
    rolloutsPerSecond: answers.length / seconds,
    turns,
    rollouts: answers.length,
    solved: answers.filter((answer) => answer === ANSWER).length,
  };
}
