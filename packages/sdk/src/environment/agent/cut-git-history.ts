import type { Sandbox } from '../../sandbox/sandbox.ts';
import { EnvironmentError } from '../environment-error.ts';

// One name and one moment, so that the same files have the same commit everywhere.
const WHO = 'task <task@localhost>';
const WHEN = '2000-01-01T00:00:00Z';

/**
 * Makes the work folder a repository with one commit of what is there now. Everything older is deleted and not hidden: no ref,
 * reflog, stash, pack or loose object of a later fix is left to be found. For `prepare`, before the agent is let in.
 */
export async function cutGitHistory(sandbox: Sandbox, { folder = '.' }: { folder?: string } = {}): Promise<void> {
  const env = {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_DATE: WHEN,
    GIT_COMMITTER_DATE: WHEN,
    GIT_AUTHOR_NAME: 'task',
    GIT_AUTHOR_EMAIL: 'task@localhost',
    GIT_COMMITTER_NAME: 'task',
    GIT_COMMITTER_EMAIL: 'task@localhost',
  };
  const script =
    `cd -- "$1" && find . -name .git -prune -exec rm -rf {} + && git init -q -b main --template= . && git add -A -f . && ` +
    `git commit -q --no-verify --allow-empty --author="${WHO}" -m base`;
  const run = await sandbox.exec(['sh', '-c', script, 'sh', folder], { env });
  if (run.exitCode === 0) return;
  throw new EnvironmentError({
    kind: 'bad-definition',
    reason: `The git history of ${folder} could not be cut: ${run.stderr.trim().slice(0, 300) || run.end}.`,
    hint: 'The sandbox needs git and a folder that it may write.',
  });
}
