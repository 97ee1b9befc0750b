import { createRecorder } from '@lachesis/sdk/capture';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const CUSTOMER = 'ACME-12345';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-alone-'));
  // An application that knows nothing of what is to be taken out here.
  const recorder = createRecorder({ home, env: {} });
  recorder.record({
    ...{ kind: 'messages', source: 'test', model: 'm', tools: null, trajectory: 'task' },
    messages: [
      { role: 'user', content: `customer ${CUSTOMER} called` },
      { role: 'assistant', content: 'I know.' },
    ],
  });
  await recorder.close();
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** What a person sees who has no server, and the code it ends with. */
function type(...words: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: home, LACHESIS_HOME: home, LACHESIS_CONTROL_PORT: '1' },
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    LACHESIS_REDACT_PATTERN: String.raw`ACME-\d+`,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=lachesis-source', main, ...words], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

async function readHome(): Promise<string> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

describe('the library without a server', { timeout: 60_000 }, () => {
  it('never keeps what the settings take out', async () => {
    expect(await readHome()).toContain(CUSTOMER);
    expect((await type('trajectories', 'list', '--json')).out).toContain('customer [redacted:pattern] called');
    expect(await readHome()).not.toContain(CUSTOMER);
  });

  it('makes a data set of a call that nobody has looked at', async () => {
    const made = await type('data', 'sets', 'make', 'mine', '--since', '7d');
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('mine@1')]);
  });

  it('exports a call that nobody has looked at', async () => {
    const file = join(home, 'out.jsonl');
    expect(await type('data', 'export', 'jsonl', '-o', file, '--since', '12h')).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toContain('customer [redacted:pattern] called');
  });

  it('reads a time by one grammar, and says it', async () => {
    const wrong = [
      await type('trajectories', 'list', '--since', 'soon'),
      await type('data', 'export', 'jsonl', '-o', join(home, 'out.jsonl'), '--since', 'soon'),
      await type('data', 'sets', 'make', 'mine', '--until', 'soon'),
      await type('audit', 'list', '--since', 'soon'),
    ];
    for (const { code, err } of wrong) {
      expect(code).not.toBe(0);
      expect(err).toContain('wants 30m, 12h, 7d or a date');
    }
  });

  it('refuses feedback whose other side is not there', async () => {
    const list = JSON.parse((await type('trajectories', 'list', '--json')).out) as {
      trajectories: { trajectory_id: string }[];
    };
    const id = list.trajectories[0]?.trajectory_id ?? '';
    const refused = await type('feedback', 'add', id, '--over', 'nope-123');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('nope-123')]);
    expect((await type('feedback', 'list', '--json')).out).not.toContain('nope-123');
  });

  it('imports a file without what the settings take out', async () => {
    const file = join(home, 'rows.jsonl');
    const messages = [
      { role: 'user', content: `who is ${CUSTOMER}?` },
      { role: 'assistant', content: 'A customer.' },
    ];
    await type('trajectories', 'list');
    await writeFile(file, `${JSON.stringify({ messages })}\n`);
    const { code, out } = await type('data', 'import', file, '--format', 'openai', '--name', 'rows');
    expect([code, out]).toEqual([0, expect.stringContaining('taken out: 1')]);
    // The same again is the same trajectory.
    await type('data', 'import', file, '--format', 'openai', '--name', 'rows');
    await rm(file);
    const listed = (await type('trajectories', 'list', '--source', 'import:rows', '--json')).out;
    const { trajectories } = JSON.parse(listed) as { trajectories: { outcome: string }[] };
    expect(trajectories).toMatchObject([{ outcome: 'finished' }]);
    expect(await readHome()).not.toContain(CUSTOMER);
  });
});
