import { existsSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { formatLine, runScenario, verdictOf } from './run-scenario.ts';
import type { ScenarioContext } from './scenario.ts';

const silent = { full: false, onLine: () => {}, onLog: () => {} };

function play(run: (context: ScenarioContext) => Promise<void>, signal?: AbortSignal) {
  return runScenario({
    ...silent,
    scenario: { name: 'play', title: '', run },
    ...(signal === undefined ? {} : { signal }),
  });
}

describe('runScenario', () => {
  it('collects what is reported', async () => {
    const line = { name: 'speed', figure: '21×', bar: '≥ 20×', ok: true };
    expect(await play(async (context) => context.report(line))).toEqual([line]);
    expect(formatLine(line)).toBe('speed: 21× (bar ≥ 20×) ok');
  });

  it('counts what could not be measured here neither as ok nor as short', async () => {
    const [line] = await play(async (context) =>
      context.reportNotRun({ name: 'podman', why: 'no podman on this machine', bar: '0 escapes' }),
    );
    expect(line && formatLine(line)).toBe('podman: no podman on this machine (bar 0 escapes) not run');
    expect(line && verdictOf(line)).toBe('not run');
  });

  it('is short when the scenario throws, and says why on one line', async () => {
    const [line] = await play(() => Promise.reject(new Error('the server\n  is gone')));
    expect(line?.ok).toBe(false);
    expect(line && formatLine(line)).toBe('play: threw Error: the server is gone (bar no error) short');
  });

  it('is short when nothing is reported', async () => {
    expect((await play(async () => {}))[0]?.ok).toBe(false);
  });

  it('cleans up in reverse order also after a throw, and reports a cleanup that fails', async () => {
    const order: string[] = [];
    let folder = '';
    const lines = await play(async (context) => {
      folder = await context.scratch();
      context.defer(() => void order.push('first'));
      context.defer(() => {
        order.push('second');
        throw new Error('stuck');
      });
      throw new Error('no');
    });
    expect(order).toEqual(['second', 'first']);
    expect(existsSync(folder)).toBe(false);
    expect(lines.map((line) => line.figure)).toEqual(['threw Error: no', 'cleanup threw Error: stuck']);
  });

  it('ends early when interrupted', async () => {
    const interruption = new AbortController();
    const playing = play(() => new Promise(() => {}), interruption.signal);
    interruption.abort();
    expect((await playing)[0]?.figure).toBe('threw Error: interrupted');
  });
});
