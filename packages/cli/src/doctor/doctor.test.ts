import { describe, expect, test } from 'vitest';
import { createPaint } from '../terminal/paint.ts';
import { drawDoctor } from './draw-doctor.ts';
import { failed, joinJudged, ok, warn, type Judged } from './finding.ts';
import { judgeKeys } from './judge-keys.ts';
import { judgeClock, judgeDatabase, judgeDisk } from './judge-machine.ts';
import { judgePorts } from './judge-ports.ts';
import { judgeEngine, judgeNode, judgePython, judgeTokenizers, judgeUv } from './judge-programs.ts';
import { runDoctor } from './run-doctor.ts';

const GIB = 1024 ** 3;
const NOW = Date.UTC(2026, 5, 1);
const even = { wallMs: 300, monotonicMs: 301 };
const free = { station: 'control', option: '--control-port', isFree: true, holder: undefined };
const noEngine = { outside: undefined, outsideAnswers: undefined, isInstalled: false, running: undefined };

/** What each judge says of a machine that is well, of one to know about, and of one to mend. */
const cases: [string, Judged, Judged['verdict']][] = [
  ['a new Node', judgeNode('v24.1.0'), 'ok'],
  ['an old Node', judgeNode('v22.11.0'), 'fail'],
  ['the native tokenizers', judgeTokenizers(undefined), 'ok'],
  ['no native tokenizers', judgeTokenizers('no binary for this machine'), 'fail'],
  ['a Python', judgePython({ version: '3.12.1', path: '/usr/bin/python3.12' }), 'ok'],
  ['no Python', judgePython({ problem: 'Python 3.12 was not found' }), 'warn'],
  ['no uv', judgeUv(undefined), 'ok'],
  ['an engine that runs', judgeEngine({ ...noEngine, running: { state: 'ready', url: 'http://x' } }), 'ok'],
  [
    'an engine that does not answer',
    judgeEngine({ ...noEngine, running: { state: 'unhealthy', url: 'http://x' } }),
    'warn',
  ],
  ['an engine that is made', judgeEngine({ ...noEngine, isInstalled: true }), 'ok'],
  ['no engine', judgeEngine(noEngine), 'warn'],
  [
    'an engine elsewhere that is silent',
    judgeEngine({ ...noEngine, outside: { url: 'http://x', variable: 'TINKER_BASE_URL' }, outsideAnswers: false }),
    'fail',
  ],
  [
    'a key',
    judgeKeys({ keys: [{ name: 'TINKER_API_KEY', origin: 'file' }], fileProblem: undefined, hasLocalEngine: false }),
    'ok',
  ],
  ['no key and no engine', judgeKeys({ keys: [], fileProblem: undefined, hasLocalEngine: false }), 'warn'],
  [
    'an open file of secrets',
    judgeKeys({ keys: [], fileProblem: { message: 'm', fix: 'chmod 600 f' }, hasLocalEngine: true }),
    'fail',
  ],
  ['free ports', judgePorts([{ ...free, port: 8080 }]), 'ok'],
  [
    'our own port',
    judgePorts([{ ...free, port: 8080, isFree: false, holder: { pid: 7, command: 'node', isOurs: true } }]),
    'ok',
  ],
  [
    'a taken port',
    judgePorts([{ ...free, port: 8080, isFree: false, holder: { pid: 7, command: 'nginx', isOurs: false } }]),
    'warn',
  ],
  ['room', judgeDisk({ freeBytes: 50 * GIB, path: '/h' }), 'ok'],
  ['little room', judgeDisk({ freeBytes: 2 * GIB, path: '/h' }), 'warn'],
  ['no room', judgeDisk({ freeBytes: GIB / 2, path: '/h' }), 'fail'],
  ['a clock', judgeClock({ now: NOW, databaseAheadMs: 3, drift: even }), 'ok'],
  ['a clock of another year', judgeClock({ now: 0, databaseAheadMs: 0, drift: even }), 'fail'],
  [
    'a clock that is being set',
    judgeClock({ now: NOW, databaseAheadMs: 0, drift: { wallMs: -700, monotonicMs: 300 } }),
    'warn',
  ],
  ['a clock away from the database', judgeClock({ now: NOW, databaseAheadMs: -90_000, drift: even }), 'warn'],
  ['no database yet', judgeDatabase({ state: 'absent', path: '/h', isWritable: true }), 'ok'],
  ['a home that cannot be written', judgeDatabase({ state: 'absent', path: '/h', isWritable: false }), 'fail'],
  ['a database that does not open', judgeDatabase({ state: 'broken', name: 'PostgreSQL', reason: 'refused' }), 'fail'],
  ['a database', judgeDatabase({ state: 'open', name: 'SQLite', applied: 4, known: 4, isWritable: true }), 'ok'],
  [
    'a database that cannot be written',
    judgeDatabase({ state: 'open', name: 'SQLite', applied: 4, known: 4, isWritable: false }),
    'fail',
  ],
  [
    'a newer database',
    judgeDatabase({ state: 'open', name: 'SQLite', applied: 5, known: 4, isWritable: true }),
    'warn',
  ],
];

describe('verdicts', () => {
  test.each(cases)('%s', (_title, judged, verdict) => {
    expect(judged.verdict).toBe(verdict);
    expect(judged.fix === undefined).toBe(verdict === 'ok');
  });

  test('name who holds a port, and the option that chooses another', () => {
    const holder = { pid: 7, command: 'nginx', isOurs: false };
    expect(judgePorts([{ ...free, port: 8080, isFree: false, holder }])).toEqual({
      verdict: 'warn',
      message: '8080 (control) held by nginx (pid 7)',
      fix: 'End it, or choose another port with --control-port.',
    });
  });
});

test('a check that throws and one that hangs are findings, and the others are told', async () => {
  const findings = await runDoctor(
    [
      { name: 'well', run: async () => ok('yes') },
      { name: 'broken', run: () => Promise.reject(new Error('no such thing')) },
      { name: 'stuck', run: () => new Promise(() => undefined) },
    ],
    { limitMs: 50 },
  );
  expect(findings.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['well', 'ok'],
    ['broken', 'fail'],
    ['stuck', 'fail'],
  ]);
  expect(findings[1]?.message).toContain('no such thing');
});

test('several verdicts are the worst of them', () => {
  expect(joinJudged([ok('a'), warn('b', 'mend b.'), failed('c', 'mend c.')])).toEqual({
    verdict: 'fail',
    message: 'a; b; c',
    fix: 'mend b. mend c.',
  });
  expect(joinJudged([ok('a'), ok('b')])).toEqual({ verdict: 'ok', message: 'a; b' });
});

test('a pipe gets plain lines that fit, with the fix under what is wrong', () => {
  const findings = [
    { name: 'node', ...ok('Node 24.1.0') },
    { name: 'disk', ...failed('only 0.5 GiB free', 'Make room there.') },
  ];
  expect(drawDoctor({ findings, paint: createPaint(false), columns: 60 })).toBe(
    '  ✓ node  Node 24.1.0\n  ✗ disk  only 0.5 GiB free\n          → Make room there.\n\n  1 to mend before anything runs\n',
  );
});
