import { afterAll, expect, test } from 'vitest';
import { createLocalProvider } from '../../sandbox/local/create-local-provider.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { cutGitHistory } from './cut-git-history.ts';
import { gradeInCleanSandbox, type CleanGrade, type CleanGradeOptions } from './grade-in-clean-sandbox.ts';

// What runs here was written here: it needs files and no wall.
const provider = createLocalProvider();
afterAll(() => provider.close());

const create = (): Promise<Sandbox> => provider.create({ owner: 'clean-grade-test' });
const signal = new AbortController().signal;

/** Lets an agent work, then grades. `mark` is what the tests print when they have run to their end. */
async function grade<Graded>(
  work: (agent: Sandbox) => Promise<unknown>,
  options: CleanGradeOptions<Graded>,
): Promise<CleanGrade<Graded> & { destroyed: number }> {
  const agent = await create();
  let destroyed = 0;
  await work(agent);
  const result = await gradeInCleanSandbox(options, {
    from: agent,
    createClean: async () => {
      const clean = await create();
      return { ...clean, destroy: async () => clean.destroy().then(() => void (destroyed += 1)) };
    },
    newMark: () => 'mark-1234',
    signal,
  });
  return { ...result, destroyed };
}

const TESTED: CleanGradeOptions = {
  files: ['add.sh'],
  tests: (mark) => ({ 'test.sh': `. ./add.sh\n[ "$(add 2 3)" = 5 ] || exit 1\necho ${mark}\n` }),
  command: 'sh test.sh',
};

test.each([
  ['an honest answer', 'add() { echo $(($1 + $2)); }', true],
  ['a wrong answer', 'add() { echo 4; }', false],
  ['an early exit with code 0', 'exit 0', false],
  ['an early exit that prints all is well', 'echo passed; exit 0', false],
])('%s', async (_name, code, passed) => {
  const graded = await grade((agent) => agent.writeFile('add.sh', code), TESTED);
  expect(graded).toMatchObject({ passed, destroyed: 1 });
});

test('tests the agent wrote, and folders in their place, do not count', async () => {
  const work = async (agent: Sandbox): Promise<void> => {
    await agent.writeFile('add.sh', 'add() { echo 4; }');
    await agent.writeFile('test.sh/x', 'exit 0');
  };
  expect(await grade(work, { ...TESTED, files: 'diff' })).toMatchObject({ passed: false, missing: [] });
});

test('of a diff, hooks of git and what is excepted stay behind, and programs stay programs', async () => {
  const work = async (agent: Sandbox): Promise<void> => {
    await agent.writeFile('.git/hooks/pre-commit', 'x');
    await agent.writeFile('sub/.git/config', 'x');
    await agent.writeFile('tests/conftest.py', 'x');
    await agent.writeFile('run.sh', '#!/bin/sh\necho ran');
    await agent.exec('chmod +x run.sh');
  };
  const result = await grade(work, {
    files: 'diff',
    except: ['tests/'],
    command: './run.sh',
    grade: async (clean) => (await clean.listFiles('.')).map(({ name }) => name),
  });
  expect(result).toMatchObject({ passed: true, graded: ['run.sh'], run: { stdout: 'ran\n' } });
  expect([...result.leftBehind].toSorted()).toEqual(['.git/hooks/pre-commit', 'sub/.git/config', 'tests/conftest.py']);
});

test('a file that is not there, and a link out of the sandbox, are missing', async () => {
  const result = await grade((agent) => agent.exec('ln -s /etc/passwd answer'), { files: ['answer', 'other'] });
  expect(result).toMatchObject({ passed: false, missing: ['answer', 'other'] });
});

test('the clean sandbox is gone when grading throws', async () => {
  const living = create();
  let destroyed = 0;
  const broken = gradeInCleanSandbox(
    { files: [], grade: async () => Promise.reject(new Error('broken')) },
    {
      from: await living,
      createClean: async () => ({ ...(await create()), destroy: async () => void (destroyed += 1) }),
      newMark: () => 'm',
      signal,
    },
  );
  await expect(broken).rejects.toThrow('broken');
  expect(destroyed).toBe(1);
});

test('nothing of an older or later commit is left after the history is cut', async () => {
  const sandbox = await create();
  const git = 'git -c user.name=a -c user.email=a@b -c init.defaultBranch=main';
  await sandbox.exec(
    `${git} init -q . && echo broken > code && ${git} add . && ${git} commit -qm one && echo SECRET-FIX > code && ` +
      `${git} commit -qam two && ${git} branch fix && ${git} stash -q; ${git} reset -q --hard HEAD~1`,
  );
  expect((await sandbox.exec('git log --all -p')).output).toContain('SECRET-FIX');
  await cutGitHistory(sandbox);
  const seen = await sandbox.exec(
    'git log --all --format=%s; git reflog --format=%s; git stash list; git branch -a; git fsck --lost-found 2>&1; ' +
      'git cat-file --batch-all-objects --batch; git status --porcelain',
  );
  expect(seen.output).toContain('base');
  expect(seen.output).not.toContain('SECRET');
  expect(seen.output).not.toContain('fix');
  expect((await sandbox.exec('cat code')).output).toBe('broken\n');
});
