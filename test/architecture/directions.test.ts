import { describe, expect, test } from 'vitest';
import { checkDirections, findRoom } from './check-directions.ts';
import { exceptions, rooms } from './directions.ts';
import { listPackages } from './packages.ts';
import { listSourceFiles, readRepositoryFile } from './source-files.ts';

describe('the table of directions', () => {
  test('names only rooms that it describes', () => {
    const known = new Set(['*', ...rooms.map(({ name }) => name)]);
    const unknown = rooms.flatMap(({ name, mayImport }) =>
      mayImport.filter((target) => !known.has(target)).map((target) => `${name} ▶ ${target}`),
    );
    expect(unknown).toEqual([]);
  });

  test('has no circle', () => {
    const arrows = new Map(rooms.map(({ name, mayImport }) => [name, mayImport]));
    const findCircle = (name: string, trail: readonly string[]): string | undefined => {
      if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name].join(' ▶ ');
      for (const next of arrows.get(name) ?? []) {
        const circle = findCircle(next, [...trail, name]);
        if (circle !== undefined) return circle;
      }
      return undefined;
    };
    expect(rooms.map(({ name }) => findCircle(name, [])).filter((circle) => circle !== undefined)).toEqual([]);
  });

  test('lets nobody but cli/commands start servers', () => {
    expect(rooms.filter(({ mayImport }) => mayImport.includes('*')).map(({ name }) => name)).toEqual(['cli/commands']);
    // The settings of a server and the sign that it keeps the same home are read there; nothing is started.
    expect(rooms.filter(({ mayImport }) => mayImport.includes('server')).map(({ name }) => name)).toEqual([
      'cli/flags/library',
    ]);
  });

  test('lets no station import another, and no service import a station', () => {
    const stations = ['trajectory-api', 'inference', 'trainer', 'reward', 'control'].map((name) => `server/${name}`);
    const wrong = rooms
      .filter(({ name }) => stations.includes(name) || name === 'server/services')
      .flatMap(({ name, mayImport }) => mayImport.filter((to) => stations.includes(to)).map((to) => `${name} ▶ ${to}`));
    expect(wrong).toEqual([]);
  });
});

const files = listSourceFiles().map((file) => ({ file, source: readRepositoryFile(file) }));

test('every import in the packages follows the table', () => {
  expect(checkDirections({ files, packages: listPackages() }).join('\n\n')).toBe('');
});

test.each(exceptions)('the exception of $file is still needed', (exception) => {
  const rest = exceptions.filter((each) => each !== exception);
  const own = files.filter(({ file }) => file === exception.file);
  expect(checkDirections({ files: own, packages: listPackages(), exceptions: rest }).join('\n')).toContain(
    `▶ ${exception.to} `,
  );
});

describe('a wrong arrow is refused with what to do instead', () => {
  const check = (file: string, source: string) =>
    checkDirections({ files: [{ file, source }], packages: listPackages() });

  test.each([
    [
      'packages/protocol/src/codec/encode-group.ts',
      "import { openStore } from '@lachesis/store';",
      /protocol is the bottom/,
    ],
    ['packages/protocol/src/codec/encode-group.ts', "import { readFileSync } from 'node:fs';", /uses only zod/],
    ['packages/protocol/src/codec/encode-group.ts', "import { Buffer } from 'buffer';", /uses only zod/],
    ['packages/store/src/blobs/put.ts', "import '../../../server/src/http/log.ts';", /by their name/],
    [
      'packages/server/src/http/log.ts',
      "import { x } from '../trajectory-api/queue.ts';",
      /http and process are under every station/,
    ],
    ['packages/server/src/trainer/build.ts', "import type { Q } from '../trajectory-api/queue.ts';", /over HTTP/],
    ['packages/server/src/trainer/step.ts', "import { open } from '../inference/open-inference.ts';", /over HTTP/],
    ['packages/server/src/trainer/step.ts', "import { start } from '../index.ts';", /cli\/commands starts servers/],
    ['packages/server/src/trainer/step.ts', "const { start } = await import('../index.ts');", /cli\/commands/],
    ['packages/server/src/trainer/step.ts', "new Worker(new URL('../index.ts', import.meta.url));", /cli\/commands/],
    [
      'packages/server/src/services/runs/watch.ts',
      "import { stream } from '../../control/streams/events.ts';",
      /neither routes nor how a process starts/,
    ],
    [
      'packages/server/src/services/runs/watch.ts',
      "import { defineRoute } from '../../http/define-route.ts';",
      /neither routes nor how a process starts/,
    ],
    ['packages/server/src/services/runs/watch.ts', "import fastify from 'fastify';", /uses only zod, pino, node:/],
    ['packages/cli/src/mcp/tools.ts', "export { start } from '@lachesis/server';", /cli\/commands starts servers/],
    [
      'packages/store/src/runs/find-run.ts',
      "import { kit } from '../../../../test/kit/free-port.ts';",
      /never imports from test/,
    ],
    ['packages/store/src/runs/find-run.ts', "import { openStore } from '@lachesis/store';", /its own package by name/],
    [
      'packages/cli/src/commands/serve/index.ts',
      "import { x } from '@lachesis/store/src/runs/find-run.ts';",
      /no entry of @lachesis\/store/,
    ],
    ['packages/cellar/src/wine.ts', '', /in no room/],
  ])('%s: %s', (file, source, message) => {
    const problems = check(file, source);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  test.each([
    ['packages/store/src/runs/find-run.ts', "import type { RunId } from '@lachesis/protocol';"],
    ['packages/store/src/runs/find-run.ts', "import { createHash } from 'node:crypto';"],
    ['packages/store/src/runs/find-run.test.ts', "import { freePort } from '../../../../test/kit/free-port.ts';"],
    ['packages/protocol/src/codec/encode-group.test.ts', "import { readFileSync } from 'node:fs';"],
    ['packages/cli/src/commands/serve/index.ts', "import { start } from '@lachesis/server';"],
    ['packages/server/src/trajectory-api/start.ts', "import { recordRow } from '../services/library/redact-row.ts';"],
    [
      'packages/server/src/services/runs/watch.ts',
      "import { SettingError } from '../../http/settings/setting-error.ts';",
    ],
    ['packages/store/src/runs/find-run.ts', "// import { start } from '@lachesis/server';"],
  ])('%s may say: %s', (file, source) => {
    expect(check(file, source)).toEqual([]);
  });
});

test('the deepest folder decides the room of a file', () => {
  expect(findRoom('packages/server/src/trajectory-api/packing/form-batches.ts')?.name).toBe('server/trajectory-api');
  expect(findRoom('packages/server/src/index.ts')?.name).toBe('server');
  expect(findRoom('test/check.ts')).toBeUndefined();
});
