import type { ModelImprovement } from '@lachesis/protocol';
import { ClientError, type ControlClient } from '@lachesis/sdk';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { describeProgress, writeEnd, type ToldProgress } from './run.ts';

const LOOK_EVERY_MS = 500;
/** A server that is started again is back within a minute. */
const AWAY_MS = 60_000;

/** Follows an improvement of a server to its end, and tells it as one that is done here is told. Ctrl-C ends nothing there. */
export async function followImprovement(options: {
  client: Pick<ControlClient, 'readImprovement'>;
  /** As the start answered. */
  from: ModelImprovement;
  isJson: boolean;
  signal: AbortSignal;
  lookEveryMs?: number;
  awayMs?: number;
}): Promise<void> {
  const { client, from, isJson, signal, lookEveryMs = LOOK_EVERY_MS, awayMs = AWAY_MS } = options;
  const { improvement_id: id, model } = from;
  const out = isJson ? process.stderr : process.stdout;
  const read = createProgressReader(from);
  let seenAt = performance.now();
  for (let found = from; ;) {
    for (const progress of read(found)) out.write(describeProgress(progress));
    if (found.state === 'ended') return writeEnd(found, { isJson });
    if (found.state === 'interrupted') {
      return fail(`${found.problem ?? 'nobody brings it on'} Go on with \`lachesis improve resume --model ${model}\`.`);
    }
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      process.stderr.write(`lachesis: it goes on on the server. End it with \`lachesis improve stop ${id}\`.\n`);
      process.exitCode = EXIT_CODES.interrupted;
      return;
    }
    try {
      found = await client.readImprovement(id, { signal });
      seenAt = performance.now();
    } catch (error) {
      // Ctrl-C is told above, at the end of a pause that is none.
      if (signal.aborted) continue;
      if (!ClientError.isInstance(error) || !error.retryable) throw error;
      if (performance.now() - seenAt < awayMs) continue;
      const again = `It goes on there; follow it again with \`lachesis improve resume --model ${id}\` and the same --server.`;
      return fail(`${error.message} ${again}`);
    }
  }
}

/** What has happened between two looks, as the process itself would have told it. */
export function createProgressReader(from: ModelImprovement): (found: ModelImprovement) => ToldProgress[] {
  let told = from.stages.length;
  let started: string | undefined;
  let said: string | null = null;
  return (found) => {
    const list: ToldProgress[] = [];
    const tell = (stage: string, state: ToldProgress['state'], detail = ''): void =>
      void list.push({ improvement: found.improvement_id, stage: stage as ToldProgress['stage'], state, detail });
    const begin = (stage: string): void => {
      if (started !== stage) tell(stage, 'started');
      started = stage;
    };
    const isEnded = found.state === 'ended';
    // One that was stopped ended in the middle of a stage.
    const isDone = isEnded && found.stages.at(-1)?.stage === found.stage;
    for (; told < found.stages.length; told += 1) {
      const { stage } = found.stages[told] ?? { stage: '' };
      begin(stage);
      const isLast = isDone && told === found.stages.length - 1;
      tell(stage, 'done', isLast ? `${found.outcome}: ${found.reason}` : '');
      said = null;
    }
    if (isEnded || found.state === 'waiting') return list;
    begin(found.stage);
    if (found.progress !== null && found.progress !== said) tell(found.stage, 'working', found.progress);
    said = found.progress;
    return list;
  };
}
