import { runPath } from '@lachesis/protocol/home';
import { isName } from '@lachesis/protocol/names';
import path from 'node:path';
import { findHome } from '../../home/find-home.ts';
import type { BaseConfig } from '../config/base-config.ts';

export interface OutputPlaces {
  /** The run the environment works for; undefined for one that was started alone. */
  readonly run: string | undefined;
  /** Of metrics, the configuration and groups that wait. */
  readonly folder: string;
  evaluationFolder(step: number): string;
}

export interface PlaceOutputOptions {
  /** Of the environment. */
  readonly name: string;
  readonly config: Pick<BaseConfig, 'data_dir_to_save_evals' | 'rollout_server_url'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * Where an environment writes while it serves. What belongs to a run lies with the run, so that two runs of one environment
 * share no file; an environment that was started alone writes to `data` where it stands.
 */
export function placeOutput({ name, config, variables }: PlaceOutputOptions): OutputPlaces {
  const run = readRunName(config.rollout_server_url);
  const own = name.replaceAll(/[^A-Za-z0-9._-]/g, '-').replace(/^\.+/, '') || 'environment';
  const folder =
    run === undefined
      ? path.join('data', own)
      : path.join(path.resolve(runPath(findHome(undefined, variables), run)), 'environments', own);
  const evaluations = config.data_dir_to_save_evals ?? undefined;
  const allEvaluations =
    evaluations === undefined
      ? path.join(...(run === undefined ? ['data', 'evals', own] : [folder, 'evals']))
      : path.join(evaluations, run ?? '');
  return { run, folder, evaluationFolder: (step) => path.join(allEvaluations, `step-${step}`) };
}

/** The run that an address of the trajectory API names: `http://…:8000/run/<name>`. */
function readRunName(url: string): string | undefined {
  const found = URL.canParse(url) ? /\/run\/([^/]+)\/?$/.exec(new URL(url).pathname)?.[1] : undefined;
  return found !== undefined && isName('run', found) ? found : undefined;
}
