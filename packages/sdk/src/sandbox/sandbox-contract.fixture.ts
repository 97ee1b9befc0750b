import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SandboxError } from './sandbox-error.ts';
import type { Sandbox, SandboxProvider } from './sandbox.ts';

export interface SandboxContractOptions {
  readonly name: string;
  open(): Promise<SandboxProvider> | SandboxProvider;
  /** The backend keeps the files of the host out of sight; `local` and `ssh` do not claim to. */
  readonly isContained: boolean;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const kindOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return SandboxError.isInstance(error) ? error.kind : String(error);
  }
};

/** What every backend does. Each runs these cases in a file of its own. */
export function describeSandboxContract({ name, open, isContained }: SandboxContractOptions): void {
  // Another run on this machine has sandboxes of its own, and one that was killed has left some.
  const owner = `contract-${name}-${process.pid}`;
  describe(`the sandbox contract on ${name}`, () => {
    let provider: SandboxProvider;
    let sandbox: Sandbox;
    let folder: string;
    beforeAll(async () => {
      provider = await open();
      folder = await mkdtemp(join(tmpdir(), 'lachesis-contract-'));
      await writeFile(join(folder, 'kept.txt'), 'kept');
      await writeFile(join(folder, 'changed.txt'), 'before');
      await writeFile(join(folder, 'removed.txt'), 'gone');
      await symlink('/etc/hostname', join(folder, 'link'));
      sandbox = await provider.create({ owner, folder, env: { GIVEN: 'yes' } });
    });
    afterAll(async () => {
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('is marked as not to be trusted', () => {
      expect(sandbox.isTrusted).toBe(false);
      expect(sandbox.workdir).toBe('/work');
    });
    it('gives exit code, both streams and their order', async () => {
      const result = await sandbox.exec('echo out; sleep 0.05; echo err >&2; exit 3');
      expect(result).toMatchObject({
        exitCode: 3,
        stdout: 'out\n',
        stderr: 'err\n',
        output: 'out\nerr\n',
        end: 'exited',
      });
    });
    it('runs a list as it is, without a shell between', async () => {
      const result = await sandbox.exec(['printf', '%s|', '$HOME', "it's", 'a b']);
      expect(result.stdout).toBe("$HOME|it's|a b|");
    });
    it('says 127 for a program that is not there', async () => {
      expect((await sandbox.exec(['no-such-program'])).exitCode).toBe(127);
    });
    it('passes input, variables and the folder on', async () => {
      await sandbox.exec('mkdir -p deep');
      const result = await sandbox.exec('cat; echo "$GIVEN $MORE ${PWD##*/}"', {
        ...{ input: 'in ', cwd: `${sandbox.workdir}/deep`, env: { MORE: 'more' } },
      });
      expect(result.stdout).toBe('in yes more deep\n');
    });
    it('does not pass the host’s own variables on', async () => {
      process.env['LACHESIS_CONTRACT_SECRET'] = 'canary';
      const result = await sandbox.exec('env');
      delete process.env['LACHESIS_CONTRACT_SECRET'];
      if (isContained || name === 'local') expect(result.stdout).not.toContain('canary');
    });
    it('streams output while the command runs', async () => {
      const chunks: string[] = [];
      await sandbox.exec('echo a; sleep 0.1; echo b', { onOutput: (chunk) => chunks.push(chunk.text) });
      expect(chunks.join('')).toBe('a\nb\n');
      expect(chunks.length).toBeGreaterThan(1);
    });
    it('ends a command at its time', async () => {
      const result = await sandbox.exec('echo begun; sleep 30', { timeoutMs: 400 });
      expect(result).toMatchObject({ end: 'timeout', exitCode: null });
      expect(result.durationMs).toBeLessThan(8_000);
    });
    it('ends a command that prints too much, and keeps the beginning', async () => {
      const result = await sandbox.exec('yes', { outputBytes: 1_000 });
      expect(result).toMatchObject({ end: 'output', isTruncated: true });
      expect(result.output.length).toBe(1_000);
    });
    it('ends a command when its signal says so', async () => {
      const controller = new AbortController();
      const running = sandbox.exec('sleep 30', { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      expect((await running).end).toBe('killed');
    });
    it('shows files of one command to the next, and runs two at once', async () => {
      await sandbox.exec('echo first > shared.txt');
      const [left, right] = await Promise.all([sandbox.exec('cat shared.txt'), sandbox.exec('cat shared.txt')]);
      expect(left.stdout + right.stdout).toBe('first\nfirst\n');
    });
    it('reads, writes, lists and removes files, bytes unchanged', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
      await sandbox.writeFile('new/folder/data.bin', bytes);
      expect(
        Buffer.from(await sandbox.readFile(`${sandbox.workdir}/new/folder/data.bin`)).equals(Buffer.from(bytes)),
      ).toBe(true);
      await sandbox.writeFile("new/odd ' name\n", 'odd');
      expect(await sandbox.listFiles('new')).toEqual([
        { name: 'folder', kind: 'folder', bytes: expect.any(Number) as number },
        { name: "odd ' name\n", kind: 'file', bytes: 3 },
      ]);
      await sandbox.removeFile('new');
      await sandbox.removeFile('new');
      expect(await kindOf(sandbox.listFiles('new'))).toBe('not-found');
    });
    it('names what is wrong with a path', async () => {
      expect(await kindOf(sandbox.readFile('nothing'))).toBe('not-found');
      expect(await kindOf(sandbox.readFile('.'))).toBe('bad-path');
      expect(await kindOf(sandbox.readFile(''))).toBe('bad-path');
      expect(await kindOf(sandbox.readFile('a\0b'))).toBe('bad-path');
      await sandbox.exec('mkfifo pipe');
      expect(await kindOf(sandbox.readFile('pipe'))).toBe('bad-path');
      expect(await kindOf(sandbox.writeFile('pipe', 'x'))).toBe('bad-path');
      await sandbox.removeFile('pipe');
    });
    it('follows no link to the host', async () => {
      const outside = join(folder, 'kept.txt');
      await sandbox.exec(['ln', '-sfn', outside, 'escape']);
      await sandbox.exec(['ln', '-sfn', folder, 'escape-folder']);
      expect(await kindOf(sandbox.readFile('escape'))).toMatch(/outside|not-found/);
      expect(await kindOf(sandbox.readFile('escape-folder/kept.txt'))).toMatch(/outside|not-found/);
      expect(await kindOf(sandbox.readFile(`../../../../../../..${outside}`))).toMatch(/outside|not-found/);
      await kindOf(sandbox.writeFile('escape-folder/planted.txt', 'x'));
      await kindOf(sandbox.removeFile('escape-folder/kept.txt'));
      await sandbox.removeFile('escape-folder');
      const { readdir } = await import('node:fs/promises');
      expect(await readdir(folder)).toEqual(['changed.txt', 'kept.txt', 'link', 'removed.txt']);
      await sandbox.removeFile('escape');
    });
    it('tells what changed against the folder that was copied in', async () => {
      const other = await provider.create({ owner, folder });
      expect(await other.diff()).toEqual([]);
      await other.exec(
        'printf after > changed.txt; rm removed.txt; mkdir d; printf x > d/added.sh; chmod +x d/added.sh',
      );
      const changes = await other.diff();
      expect(
        changes.map(({ path, change, content, isExecutable }) => [
          path,
          change,
          content && text(content),
          isExecutable,
        ]),
      ).toEqual([
        ['changed.txt', 'modified', 'after', false],
        ['d/added.sh', 'added', 'x', true],
        ['removed.txt', 'removed', undefined, undefined],
      ]);
      await other.destroy();
    });
    it('reads many changed files in one go, and names excepted ones without their content', async () => {
      const other = await provider.create({ owner });
      await other.exec(
        'mkdir -p many skip/deep; i=0; while [ $i -lt 300 ]; do echo $i > many/$i; i=$((i + 1)); done; echo s > skip/deep/s',
      );
      const changes = await other.diff({ except: ['skip/'] });
      expect(changes).toHaveLength(301);
      expect(changes.find(({ path }) => path === 'many/299')?.content).toEqual(new Uint8Array(Buffer.from('299\n')));
      expect(changes.at(-1)).toEqual({ path: 'skip/deep/s', change: 'added', isExecutable: false });
      await other.destroy();
    });
    it('refuses a diff that is too large to hold', async () => {
      const other = await provider.create({ owner });
      await other.exec('head -c 70000000 /dev/zero > big');
      expect(await kindOf(other.diff())).toBe('too-large');
      await other.destroy();
    });
    it('ends what still runs, and what was left, and goes on', async () => {
      const other = await provider.create({ owner });
      const running = other.exec('while :; do echo x >> ticks; sleep 0.01; done');
      await other.exec('(setsid sh -c "while :; do echo x >> ticks; sleep 0.01; done" >/dev/null 2>&1 </dev/null &)');
      await expect.poll(async () => (await other.exec('wc -c < ticks')).stdout.trim().length).toBeGreaterThan(1);
      await other.endCommands();
      expect((await running).end).toBe('killed');
      const before = (await other.exec('wc -c < ticks')).stdout;
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect((await other.exec('wc -c < ticks')).stdout).toBe(before);
      await other.endCommands();
      await other.destroy();
    });
    it('is gone after destroy, twice and at once', async () => {
      const other = await provider.create({ owner });
      await Promise.all([other.destroy(), other.destroy()]);
      expect(await kindOf(other.exec('true'))).toBe('destroyed');
      expect(await kindOf(other.readFile('x'))).toBe('destroyed');
    });
    it('is gone when its lifetime is over', async () => {
      const other = await provider.create({ owner, lifetimeMs: 300 });
      await expect.poll(() => kindOf(other.exec('true')), { timeout: 5_000 }).toBe('destroyed');
    });
    it('refuses a limit that is no number', async () => {
      expect(await kindOf(provider.create({ owner: 'x', limits: { wallMs: Number.NaN } }))).toBe('bad-options');
      expect(await kindOf(sandbox.exec([]))).toBe('bad-options');
      expect(await kindOf(sandbox.exec('x'.repeat(200_000)))).toBe('bad-options');
    });
    it('leaves its own living sandboxes to their owner when it reaps', async () => {
      expect(await provider.reap(owner)).toBe(0);
      expect((await sandbox.exec('true')).exitCode).toBe(0);
    });
  });
}
