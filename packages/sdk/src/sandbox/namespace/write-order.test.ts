import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { writeGreeting, writeOrder } from './write-order.ts';

interface Told {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Gives an order to a real shell, as an entrance does. */
async function tell({ argv, cwd = '/', env = {}, input = '' }: Told) {
  const shell = spawn('/bin/sh', ['-s'], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin' },
  });
  shell.stdin.write(writeGreeting(4));
  const descriptors = { inputDescriptor: 3, statusDescriptor: 4, spareDescriptors: [5] };
  shell.stdin.end(writeOrder({ argv, cwd, env, ...descriptors }));
  // A command may end without reading it.
  (shell.stdio[3] as Writable).on('error', () => undefined).end(input);
  const code = new Promise<number | null>((resolve) => shell.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    text(shell.stdio[4] as unknown as NodeJS.ReadableStream),
  ]);
  return { stdout, stderr, status, code: await code };
}

describe('an order', () => {
  it('runs words as they are, whatever is in them', async () => {
    const words = [
      "it's",
      'a b',
      '$HOME `id` "q"',
      'two\n\nlines\n',
      'Á…日本',
      '\\n',
      '',
      '};',
      '# no',
      `${'long '.repeat(10_000)}.`,
    ];
    const { stdout, status } = await tell({ argv: ['printf', '%s|', ...words] });
    expect(stdout).toBe(words.map((word) => `${word}|`).join(''));
    expect(status).toBe('ready\nup\n');
  });
  it('gives the command its input and nothing of the order', async () => {
    // Higher ones may come from whoever runs this test.
    const argv = ['sh', '-c', 'cat; ls -d /proc/self/fd/[0-9]'];
    const { stdout } = await tell({ argv, input: 'echo not a command\n' });
    expect(stdout.replaceAll('/proc/self/fd/', '')).toBe('echo not a command\n0\n1\n2\n');
  });
  it('sets variables that no shell would take for its own', async () => {
    const env = { 'a-b': '1', IFS: 'x', PATH: '/usr/bin:/bin', EMPTY: '' };
    const { stdout } = await tell({ argv: ['env'], env });
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['a-b=1', 'IFS=x', 'EMPTY=']));
  });
  it('says up before a folder or a program that is not there', async () => {
    expect(await tell({ argv: ['true'], cwd: '/no/such' })).toMatchObject({ code: 1, status: 'ready\nup\n' });
    const missing = await tell({ argv: ['no-such-program'], input: 'echo taken for a script\n' });
    expect(missing).toMatchObject({ code: 127, status: 'ready\nup\n', stdout: '' });
  });
});
