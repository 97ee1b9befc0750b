import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { MODEL } from './prepare-home.ts';
import { runLachesis } from './run-lachesis.ts';

/** What `lachesis improve --json` says at its end. */
export interface ImproveReport {
  readonly improvement_id: string;
  readonly outcome: string;
  readonly reason: string;
  readonly stages: {
    readonly rate: { ratings: number };
    readonly dataset: { dataset: string; digest: string; rows: number; held_out: string; held_out_rows: number };
    readonly train: {
      run: string;
      model: string;
      model_version_id: string;
      steps: number;
      metrics: Record<string, number>;
    };
    readonly evaluate: {
      items: number;
      current_mean: number;
      candidate_mean: number;
      difference: number;
      preferred_shift: number;
      examples: { prompt: string; before: string; after: string }[];
    };
  };
}

export interface ImproveHomeOptions {
  readonly home: string;
  readonly engineUrl: string;
  /** Settings of the training. */
  readonly training: Readonly<Record<string, number | string | boolean>>;
  /** Beginnings of lines at which a process is killed with -9, one process for each. */
  readonly kills?: readonly string[];
  readonly log: (text: string) => void;
}

/** Runs `lachesis improve` to its end, with another process after each kill. */
export async function improveHome(options: ImproveHomeOptions): Promise<{ report: ImproveReport; kills: number }> {
  const { home, engineUrl, training, kills = [], log } = options;
  const begin = [...(await writeBegin({ home, training })), '--json'];
  const goOn = ['improve', 'resume', '--model', MODEL, '--json'];
  let killed = 0;
  for (const [life, killAt] of [...kills, undefined].entries()) {
    const { stdout, isKilled } = await runLachesis({
      ...{ home, engineUrl, args: life === 0 ? begin : goOn, codes: [0, 1] },
      ...(killAt === undefined ? {} : { killAt }),
      onLine: (line) => log(`  ${line}`),
    });
    if (killAt === undefined) return { report: JSON.parse(stdout) as ImproveReport, kills: killed };
    if (!isKilled) throw new Error(`no line began with "${killAt}", so nothing was killed there`);
    killed += 1;
    log(`killed at "${killAt}"`);
  }
  throw new Error('there is no last life');
}

/** The command that begins an improvement, with the settings of its training in a file. */
export async function writeBegin({
  home,
  training,
  isAgain = false,
}: Pick<ImproveHomeOptions, 'home' | 'training'> & { isAgain?: boolean }): Promise<string[]> {
  const config = join(home, 'training.json');
  await writeFile(config, JSON.stringify(training));
  const gates = ['--min-ratings', '100', '--min-rows', '16', '--min-items', '8', '--held-out', '0.4'];
  return [
    'improve',
    '--model',
    MODEL,
    '--method',
    'dpo',
    '--config',
    config,
    ...gates,
    ...(isAgain ? ['--again'] : []),
  ];
}
