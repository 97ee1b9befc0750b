import { describe, expect, test } from 'vitest';
import { createPaint } from '../terminal/paint.ts';
import { formatDoctor } from './format-doctor.ts';
import { failed, joinResults, ok, warn, type CheckResult } from './finding.ts';
import { checkKeys } from './check-keys.ts';
import { checkClock, checkDatabase, checkDisk } from './check-machine.ts';
import { checkPorts } from './check-ports.ts';
import { checkEngine, checkNode, checkPython, checkTokenizers, checkUv } from './check-programs.ts';
import { runDoctor } from './run-doctor.ts';

const GIB = 1024 ** 3;
const NOW = Date.UTC(2026, 5, 1);
const even = { wallMs: 300, monotonicMs: 301 };
const free = { station: 'control', option: '--control-port', isFree: true, holder: undefined };
const noEngine = { outside: undefined, outsideAnswers: undefined, isInstalled: false, running: undefined };

/** What each check says of a machine that is well, of one to know about, and of one to fix. */
const cases: [string, CheckResult, CheckResult['verdict']][] = [
  ['a new Node', checkNode('v24.1.0'), 'ok'],
  ['an old Node', checkNode('v22.11.0'), 'fail'],
  ['the native tokenizers', checkTokenizers(undefined), 'ok'],
  ['no native tokenizers', checkTokenizers('no binary for this machine'), 'fail'],
  ['a Python', checkPython({ version: '3.12.1', path: '/usr/bin/python3.12' }), 'ok'],
  ['no Python', checkPython({ problem: 'Python 3.12 was not found' }), 'warn'],
  ['no uv', checkUv(undefined), 'ok'],
  ['an engine that runs', checkEngine({ ...noEngine, running: { state: 'ready', url: 'http://x' } }), 'ok'],
  [
    'an engine that does not answer',
    checkEngine({ ...noEngine, running: { state: 'unhealthy', url: 'http://x' } }),
    'warn',
  ],
  ['an engine that is made', checkEngine({ ...noEngine, isInstalled: true }), 'ok'],
  ['no engine', checkEngine(noEngine), 'warn'],
  [
    'an engine elsewhere that is silent',
    checkEngine({ ...noEngine, outside: { url: 'http://x', variable: 'TINKER_BASE_URL' }, outsideAnswers: false }),
    'fail',
  ],
  [
    'a key',
    checkKeys({ keys: [{ name: 'TINKER_API_KEY', origin: 'file' }], fileProblem: undefined, hasLocalEngine: false }),
    'ok',
  ],
  ['no key and no engine', checkKeys({ keys: [], fileProblem: undefined, hasLocalEngine: false }), 'warn'],
  [
    'an open file of secrets',
    checkKeys({ keys: [], fileProblem: { message: 'm', fix: 'chmod 600 f' }, hasLocalEngine: true }),
    'fail',
  ],
  ['free ports', checkPorts([{ ...free, port: 8080 }]), 'ok'],
  [
    'our own port',
    checkPorts([{ ...free, port: 8080, isFree: false, holder: { pid: 7, command: 'node', isOurs: true } }]),
    'ok',
  ],
  [
    'a taken port',
    checkPorts([{ ...free, port: 8080, isFree: false, holder: { pid: 7, command: 'nginx', isOurs: false } }]),
    'warn',
  ],
  ['room', checkDisk({ freeBytes: 50 * GIB, path: '/h' }), 'ok'],
  ['little room', checkDisk({ freeBytes: 2 * GIB, path: '/h' }), 'warn'],
  ['no room', checkDisk({ freeBytes: GIB / 2, path: '/h' }), 'fail'],
  ['a clock', checkClock({ now: NOW, databaseAheadMs: 3, drift: even }), 'ok'],
  ['a clock of another year', checkClock({ now: 0, databaseAheadMs: 0, drift: even }), 'fail'],
  [
    'a clock that is being set',
    checkClock({ now: NOW, databaseAheadMs: 0, drift: { wallMs: -700, monotonicMs: 300 } }),
    'warn',
  ],
  ['a clock away from the database', checkClock({ now: NOW, databaseAheadMs: -90_000, drift: even }), 'warn'],
  ['no database yet', checkDatabase({ state: 'absent', path: '/h', isWritable: true }), 'ok'],
  ['a home that cannot be written', checkDatabase({ state: 'absent', path: '/h', isWritable: false }), 'fail'],
  ['a database that does not open', checkDatabase({ state: 'broken', name: 'PostgreSQL', reason: 'refused' }), 'fail'],
  ['a database', checkDatabase({ state: 'open', name: 'SQLite', applied: 4, known: 4, isWritable: true }), 'ok'],
  [
    'a database that cannot be written',
    checkDatabase({ state: 'open', name: 'SQLite', applied: 4, known: 4, isWritable: false }),
    'fail',
  ],
  [
    'a newer database',
    checkDatabase({ state: 'open', name: 'SQLite', applied: 5, known: 4, isWritable: true }),
    'warn',
  ],
];

describe('verdicts', () => {
  test.each(cases)('%s', (_title, result, verdict) => {
    expect(result.verdict).toBe(verdict);
    expect(result.fix === undefined).toBe(verdict === 'ok');
  });

  test('name who holds a port, and the option that chooses another', () => {
    const holder = { pid: 7, command: 'nginx', isOurs: false };
    expect(checkPorts([{ ...free, port: 8080, isFree: false, holder }])).toEqual({
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
  expect(joinResults([ok('a'), warn('b', 'mend b.'), failed('c', 'mend c.')])).toEqual({
    verdict: 'fail',
    message: 'a; b; c',
    fix: 'mend b. mend c.',
  });
  expect(joinResults([ok('a'), ok('b')])).toEqual({ verdict: 'ok', message: 'a; b' });
});

test('a pipe gets plain lines that fit, with the fix under what is wrong', () => {
  const findings = [
    { name: 'node', ...ok('Node 24.1.0') },
    { name: 'disk', ...failed('only 0.5 GiB free', 'Make room there.') },
  ];
  expect(formatDoctor({ findings, paint: createPaint(false), columns: 60 })).toBe(
    '  ✓ node  Node 24.1.0\n  ✗ disk  only 0.5 GiB free\n          → Make room there.\n\n  1 to fix before anything runs\n',
  );
});
