import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const MIGRATIONS = 'packages/store/src/migrations/all-migrations.ts';

export interface BuiltBefore {
  readonly commit: string;
  /** Its command line. */
  readonly cli: string;
}

/** The commit before the newest migration; undefined where the history does not go back so far. */
export async function findBefore(): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['log', '-1', '--format=%P', '--', MIGRATIONS], { cwd: ROOT });
    const commit = stdout.trim().split(' ')[0] ?? '';
    await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT });
    return commit;
  } catch {
    // A folder without its history, or one that was cut off.
    return undefined;
  }
}

/** Builds that commit in a folder. Throws where a package of its time cannot be had. */
export async function buildBefore(commit: string, folder: string): Promise<BuiltBefore> {
  await run('sh', ['-c', `git archive ${commit} | tar -x -C "$1"`, 'sh', folder], { cwd: ROOT });
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  await run('pnpm', ['install', '--prefer-offline', '--frozen-lockfile', '--ignore-scripts'], options);
  await run('pnpm', ['build'], options);
  return { commit, cli: join(folder, 'packages/cli/dist/main.js') };
}
