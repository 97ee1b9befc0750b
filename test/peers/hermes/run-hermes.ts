import { existsSync } from 'node:fs';
import { readAnswers, runScript } from './run-script.ts';

/** The interpreter of the venv that holds hermes-agent; made by .ci/setup, named by .ci/env.sh. Undefined without one. */
export function findHermesPython(): string | undefined {
  const path = process.env['LACHESIS_HERMES_PYTHON'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

export interface HermesJob {
  /** A folder of its own, which becomes `HERMES_HOME`. */
  readonly home: string;
  /** Where the scripted model answers. */
  readonly base_url: string;
  readonly conversations?: readonly { readonly id: string; readonly questions: readonly unknown[] }[];
  /** How many of the conversations are sessions of their own in Hermes' database. */
  readonly sessions?: number;
  readonly lists?: readonly {
    readonly id: string;
    readonly messages: readonly unknown[];
    readonly query: string;
    readonly completed: boolean;
  }[];
  /** Prompts for its batch runner: each a line of a data set. */
  readonly prompts?: readonly { readonly prompt: string }[];
  readonly ours?: { readonly file: string; readonly batch_folder: string; readonly target: number };
}

export interface RunHermesOptions {
  readonly python: string;
  readonly job: HermesJob;
  readonly timeoutMs: number;
}

/** Hands a job to the real Hermes and gives back its answers, one JSON value a line. */
export async function runHermes(options: RunHermesOptions): Promise<unknown[]> {
  const env = { PYTHONDONTWRITEBYTECODE: '1' };
  return readAnswers(await runScript({ script: 'drive_hermes.py', env, ...options }));
}
