import type { TrainerSection } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRunDetails } from '../details.ts';
import { readCodeFiles } from '../../training/rl/own-code/read-code-files.ts';
import { writeWhole } from '../programs/write-whole.ts';
import { SERVER_VERSION } from '../../../http/settings/version.ts';
import { describeReproduction, type ReproductionFacts } from './describe-reproduction.ts';

const GIT_MS = 2_000;

/** Writes what is needed to do a run again into its directory. */
export async function saveReproduction(
  run: TrainingRun,
  options: { findFile: (environment: string) => Promise<string | undefined>; recipeName: string | null },
): Promise<void> {
  const path = await options.findFile(run.environment);
  const bytes = path === undefined ? undefined : await readFile(path).catch(() => undefined);
  const { directory, workingDirectory } = readRunDetails(run.details);
  const { version, platform, arch } = process;
  await writeWhole(
    join(directory, 'reproduce.json'),
    describeReproduction({
      run,
      recipeName: options.recipeName,
      versions: { lachesis: SERVER_VERSION, node: version, platform: `${platform} ${arch}` },
      code: await readCode(run),
      commit: await readCommit(workingDirectory),
      environmentFile:
        path === undefined || bytes === undefined
          ? null
          : { path, sha256: createHash('sha256').update(bytes).digest('hex') },
    }),
  );
}

/** Loss and advantage of the author's, where the run has such; the trainer refuses what cannot be read. */
async function readCode({ config }: TrainingRun): Promise<ReproductionFacts['code']> {
  const { tinker } = (config as { recipe: { tinker: TrainerSection } }).recipe;
  return await readCodeFiles(tinker).catch(() => []);
}

/** The commit of the folder the run works in, and whether something there is not in it; null outside a repository. */
async function readCommit(folder: string): Promise<ReproductionFacts['commit']> {
  const [head, changes] = await Promise.all([
    git(folder, ['rev-parse', 'HEAD']),
    git(folder, ['status', '--porcelain', '--untracked-files=no']),
  ]);
  return head === undefined ? null : { sha: head, has_changes: changes !== '' };
}

function git(folder: string, given: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('git', given, { cwd: folder, timeout: GIT_MS }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : undefined),
    );
  });
}
