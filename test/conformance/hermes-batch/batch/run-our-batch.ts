import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../kit/start-process.ts';

const MAIN = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../../packages/cli/dist/main.js', import.meta.url));
const TOOLSETS = fileURLToPath(new URL('echo-toolsets.ts', import.meta.url));

export interface OurBatchJob {
  readonly cwd: string;
  readonly home: string;
  readonly baseUrl: string;
  readonly datasetFile: string;
  readonly runName: string;
  readonly batchSize: number;
  readonly numWorkers: number;
  readonly resume?: boolean;
  readonly onStart?: (pid: number) => void;
  readonly timeoutMs: number;
  /** The built package, with the tools it has, as users run it; `pnpm build` makes it. */
  readonly isBuilt?: boolean;
}

export interface OurBatchEnd {
  readonly code: number | null;
  readonly output: string;
}

/** `lachesis batch` as a process of its own. */
export async function runOurBatch(job: OurBatchJob): Promise<OurBatchEnd> {
  if (job.isBuilt === true && !existsSync(BUILT)) throw new Error('There is no built package. Run pnpm build');
  await using child = await startProcess({
    name: 'lachesis batch',
    command: process.execPath,
    args: [
      ...(job.isBuilt === true ? [BUILT] : ['--conditions=lachesis-source', MAIN]),
      ...['batch', '--dataset_file', job.datasetFile, '--run_name', job.runName],
      ...['--batch_size', String(job.batchSize), '--num_workers', String(job.numWorkers), '--model', 'scripted'],
      ...['--base_url', job.baseUrl, '--distribution', 'terminal_only', '--max_attempts', '1'],
      ...(job.isBuilt === true ? [] : ['--toolsets', TOOLSETS]),
      ...(job.resume === true ? ['--resume'] : []),
    ],
    cwd: job.cwd,
    env: { LACHESIS_HOME: job.home, DATABASE_URL: undefined, OPENROUTER_API_KEY: undefined, OPENAI_API_KEY: undefined },
  });
  job.onStart?.(child.pid);
  const timer = setTimeout(() => child.signal('SIGKILL'), job.timeoutMs);
  const { code } = await child.exited;
  clearTimeout(timer);
  return { code, output: child.logs() };
}
