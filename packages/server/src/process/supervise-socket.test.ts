import { rm, writeFile, mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { superviseSocket, type SocketSupervisor } from './supervise-socket.ts';

const childModule = new URL('./echo-child.fixture.ts', import.meta.url).pathname;

async function supervise(env: Record<string, string> = {}, onRestart?: () => void, holdMs?: number) {
  const supervisor = await superviseSocket({
    host: '127.0.0.1',
    port: 0,
    childModule,
    env,
    retryMs: 20,
    takenMs: 500,
    ...(onRestart === undefined ? {} : { onRestart }),
    ...(holdMs === undefined ? {} : { holdMs }),
  });
  return Object.assign(supervisor, { [Symbol.asyncDispose]: () => supervisor.stop().catch(() => undefined) });
}

/** One request on a connection of its own. */
function ask(supervisor: Pick<SocketSupervisor, 'address'>, path = '/', timeoutMs = 10_000): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: supervisor.address.port, path, agent: false, timeout: timeoutMs });
    call.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve(Number(text)));
    });
    call.on('timeout', () => call.destroy(new Error('no answer')));
    call.on('error', reject);
    call.end();
  });
}

describe('the supervisor of a socket', () => {
  it('hands connections to its child', async () => {
    await using supervisor = await supervise();
    expect(await ask(supervisor)).toBe(supervisor.childPid);
  });

  it('holds connections while the child is dead, and the next child answers them', async () => {
    let restarts = 0;
    await using supervisor = await supervise({}, () => (restarts += 1));
    const first = await ask(supervisor);
    const dying = ask(supervisor, '/die').catch(() => 'reset');
    while (supervisor.childPid === first) await sleep(1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(supervisor)));
    expect(await dying).toBe('reset');
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).not.toBe(first);
    expect(restarts).toBe(1);
  });

  it('gives connections that the dead child never took to the next one', async () => {
    await using supervisor = await supervise();
    const first = await ask(supervisor);
    process.kill(first, 'SIGSTOP');
    const waiting = Array.from({ length: 20 }, () => ask(supervisor));
    await sleep(200);
    process.kill(first, 'SIGKILL');
    const answers = new Set(await Promise.all(waiting));
    expect(answers).toEqual(new Set([supervisor.childPid]));
  });

  it('ends a connection that its child never takes, instead of leaving the client to wait', async () => {
    await using supervisor = await supervise({ DEAF: '1' });
    const asked = performance.now();
    await expect(ask(supervisor)).rejects.toThrow(/hang up|ECONNRESET/);
    expect(performance.now() - asked).toBeLessThan(5_000);
  });

  it('leaves no connection hanging when children die again and again', async () => {
    await using supervisor = await supervise();
    const ends = { answered: 0, reset: 0 };
    const clients = Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 40; count++) {
        const path = count % 20 === 19 ? '/die' : '/';
        await ask(supervisor, path, 8_000).then(
          () => (ends.answered += 1),
          (error: Error) => {
            if (error.message === 'no answer') throw error;
            ends.reset += 1;
          },
        );
      }
    });
    await Promise.all(clients);
    expect(ends.answered).toBeGreaterThan(8 * 30);
  });

  it('says why a child can never start, at once when trying again is no use', async () => {
    await expect(supervise({ REFUSAL: 'no token exists', FINAL: '1' })).rejects.toThrow('no token exists');
  });

  it('gives up when no child could ever start', async () => {
    await expect(supervise({ DIES: '1' })).rejects.toThrow(/ended 5 times before it could serve/);
  });

  it('waits for as long as it takes once a child has served', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lachesis-supervisor-'));
    const blocker = join(folder, 'blocker');
    await using supervisor = await supervise({ REFUSAL: 'the database is away', REFUSE_WHILE: blocker });
    const first = await ask(supervisor);
    await writeFile(blocker, '');
    process.kill(first, 'SIGKILL');
    while (supervisor.childPid === first) await sleep(1);
    const answer = ask(supervisor, '/', 20_000);
    await sleep(1_500);
    await rm(folder, { recursive: true });
    expect(await answer).not.toBe(first);
  });

  it('lets go of a connection after its time, where other servers stand by', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lachesis-supervise-'));
    const file = join(folder, 'refuse');
    await using supervisor = await supervise({ REFUSAL: 'not yet', REFUSE_WHILE: file }, undefined, 100);
    const first = await ask(supervisor);
    await writeFile(file, '');
    process.kill(first, 'SIGKILL');
    while (supervisor.childPid === first) await sleep(1);
    const startedAt = performance.now();
    await expect(ask(supervisor)).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await rm(folder, { recursive: true });
    // A child that is there again is handed connections, and none of them ends with the time.
    while ((await ask(supervisor).catch(() => 0)) === 0) await sleep(20);
    expect(await ask(supervisor, '/slow')).toBe(supervisor.childPid);
  });

  it('lets requests under way end when it is stopped, and can be stopped twice', async () => {
    await using supervisor = await supervise();
    const slow = ask(supervisor, '/slow');
    await sleep(100);
    const pid = supervisor.childPid;
    const { address } = supervisor;
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    expect(await slow).toBe(pid);
    await expect(supervisor.ended).resolves.toBeUndefined();
    await expect(ask({ address })).rejects.toThrow('ECONNREFUSED');
  });

  it('starts no child after it was stopped between two', async () => {
    let isGone = false;
    await using supervisor = await supervise({}, () => (isGone = true));
    process.kill(supervisor.childPid ?? 0, 'SIGKILL');
    while (!isGone) await sleep(1);
    await supervisor.stop();
    await sleep(50);
    expect(supervisor.childPid).toBeUndefined();
  });

  it('does not start on a port that is taken', async () => {
    await using supervisor = await supervise();
    const second = superviseSocket({ host: '127.0.0.1', port: supervisor.address.port, childModule, env: {} });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
