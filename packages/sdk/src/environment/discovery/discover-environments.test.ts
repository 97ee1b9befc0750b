import { join } from 'node:path';
import { expect, test } from 'vitest';

import { discoverEnvironments } from './discover-environments.ts';
import type { DiscoveryProblem } from './discovered-environment.ts';
import type { SourceFiles } from './find-source-files.ts';
import { scanPython } from './scan-python.ts';
import { scanTypeScript } from './scan-typescript.ts';

/** In parts, because the walls of this repository are checked by looking for imports, in texts too. */
const SDK = ['@lachesis', 'sdk', 'environment'].join('/');

/** Files by path, in memory. */
function createFiles(contents: Readonly<Record<string, string>>): SourceFiles {
  const paths = Object.keys(contents);
  return {
    readFile: async (path) => contents[path] ?? '',
    isFile: async (path) => contents[path] !== undefined,
    readFolder: async (path) => {
      const inside = paths.filter((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));
      if (inside.length === 0) throw new Error('ENOENT');
      const names = inside.map((file) => file.slice(path.replace(/\/$/, '').length + 1));
      return [...new Set(names.map((name) => (name.includes('/') ? `${name.split('/')[0]}/` : name)))];
    },
  };
}

const define = (name: string): string =>
  `import { defineEnvironment } from '${SDK}';\nexport default defineEnvironment({ name: '${name}' });`;

test('a definition is read with its configuration, constants and types around it included', () => {
  const source = `
    import { z } from 'zod';
    import { defineEnvironment } from '${SDK}';
    const NAME = 'sums' as const;
    const schema = z.object({
      digits: z.int().min(1).max(9).default(2).describe('digits of each number'),
      style: z.enum(['short', 'long']).default('short'),
      limit: z.number().int().optional(),
      words: z.array(z.string()).default(['a', 'b']),
      made: z.string().default(makeIt()),
    });
    throw new Error('this must not run');
    export const sums = defineEnvironment({ name: NAME, description: 'Adds ' + 'numbers.', config: schema, items: {} } satisfies object);
  `;
  expect(scanTypeScript('/e/sums.ts', source)).toEqual([
    {
      name: 'sums',
      class_name: 'sums',
      file_path: '/e/sums.ts',
      description: 'Adds numbers.',
      language: 'typescript',
      config_fields: [
        {
          ...{ name: 'digits', type: 'integer', default: 2, description: 'digits of each number' },
          bounds: { minimum: 1, maximum: 9 },
        },
        { name: 'style', type: 'enum', default: 'short' },
        { name: 'limit', type: 'integer' },
        { name: 'words', type: 'array', default: ['a', 'b'] },
        { name: 'made', type: 'string' },
      ],
    },
  ]);
});

test('classes are found through what they extend; abstract and unexported ones are not environments', () => {
  const source = `
    import { Environment as Base } from '${SDK}';
    abstract class Shared extends Base<{ a: number }> {}
    class Hidden extends Shared { name = 'hidden'; }
    export class WordCountEnvironment extends Shared { description = \`Counts words.\`; }
    export default class Named extends Base { readonly name: string = 'named'; }
    export class Other extends Somebody { name = 'other'; }
  `;
  expect(
    scanTypeScript('a.ts', source).map(({ name, class_name, description }) => [name, class_name, description]),
  ).toEqual([
    ['word-count', 'WordCountEnvironment', 'Counts words.'],
    ['named', 'Named', ''],
  ]);
});

test('one exported later or under another name is found once', () => {
  const source = `${define('x').replace('export default', 'const mine =')}\nexport { mine };\nexport default mine;`;
  expect(scanTypeScript('a.ts', source).map(({ name }) => name)).toEqual(['x']);
});

test('a Python class that its file starts is an environment, whatever file its base is in', () => {
  const source = `from gsm8k_env import GSM8kEnv

class Harder(GSM8kEnv):
    name = "harder"

class Helper(GSM8kEnv):
    pass

if __name__ == "__main__":
    Harder.cli()
`;
  expect(scanPython('/e/harder.py', source).map(({ name, class_name }) => [name, class_name])).toEqual([
    ['harder', 'Harder'],
  ]);
});

test('environments of atroposlib are listed from their source', () => {
  const source = `"""Module text."""
import os
from atroposlib.envs.base import (
    BaseEnv,
    BaseEnvConfig,  # class Fake(BaseEnv): in a comment
)

text = """
class InText(BaseEnv):
    name = "no"
"""

class GSMConfig(BaseEnvConfig):
    """Fields."""
    mask_thinking: bool = Field(default=False, description="Mask " "thinking.")
    rounds: int = 3
    floor: float = Field(-1.5, ge=-2)
    path: Optional[str] = Field(
        default=os.environ.get("X"),
        description='where',
    )

class GSM8kEnv(BaseEnv):
    """
    Grade school math,
    in words.

    More text.
    """
    name = "gsm8k"
    env_config_cls = GSMConfig

    def __init__(self, config):
        name = "inner"
        class Inner(BaseEnv): pass

class Harder(GSM8kEnv, Generic[T], metaclass=Meta):
    def x(self): return 'it\\'s'

class Unrelated(Environment):
    pass
`;
  expect(scanPython('/e/gsm8k_server.py', source)).toEqual([
    {
      name: 'gsm8k',
      class_name: 'GSM8kEnv',
      file_path: '/e/gsm8k_server.py',
      description: 'Grade school math, in words.',
      language: 'python',
      config_fields: [
        { name: 'mask_thinking', type: 'boolean', default: false, description: 'Mask thinking.' },
        { name: 'rounds', type: 'integer', default: 3 },
        { name: 'floor', type: 'number', default: -1.5, bounds: { minimum: -2 } },
        { name: 'path', type: 'string', description: 'where' },
      ],
    },
    {
      name: 'gsm8k_server',
      class_name: 'Harder',
      file_path: '/e/gsm8k_server.py',
      description: 'Module text.',
      language: 'python',
    },
  ]);
});

test('the folder goes before the variable, and that before packages', async () => {
  const files = createFiles({
    '/p/package.json': JSON.stringify({ dependencies: { pack: '1', plain: '1' } }),
    '/p/environments/a.ts': define('a'),
    '/p/environments/deep/b.ts': define('b'),
    '/p/environments/a.test.ts': define('tested'),
    '/p/environments/node_modules/x/x.ts': define('buried'),
    '/p/environments/data.json': '{}',
    '/shared/a.ts': define('a'),
    '/shared/c.py': 'class C(BaseEnv):\n    name = "c"\n',
    '/one/d.ts': define('d'),
    '/p/node_modules/pack/package.json': JSON.stringify({
      lachesis: { environments: ['./dist/e.js', './dist/gone.js'] },
    }),
    '/p/node_modules/pack/dist/e.js': define('e'),
    '/p/node_modules/plain/package.json': '{broken',
    '/with-command/package.json': JSON.stringify({ lachesis: { environments: ['./dist/f.js'] } }),
    '/with-command/src/f.ts': define('f'),
    '/with-command/dist/f.js': define('old'),
  });
  const problems: DiscoveryProblem[] = [];
  const found = await discoverEnvironments({
    cwd: '/p',
    env: { LACHESIS_ENV_PATH: ['/shared', '/one/d.ts', '/nowhere'].join(':') },
    files,
    packageFolders: ['/with-command'],
    onProblem: (problem) => problems.push(problem),
  });
  expect(found.map(({ name, file_path }) => [name, file_path])).toEqual([
    ['a', '/p/environments/a.ts'],
    ['b', '/p/environments/deep/b.ts'],
    ['c', '/shared/c.py'],
    ['d', '/one/d.ts'],
    ['e', '/p/node_modules/pack/dist/e.js'],
    ['f', '/with-command/src/f.ts'],
  ]);
  expect(problems).toEqual([
    { path: '/nowhere', reason: 'LACHESIS_ENV_PATH names it, and no source file is there' },
    { path: join('/p/node_modules/pack', 'dist/gone.js'), reason: 'package.json lists it, and it is not there' },
    { path: '/shared/a.ts', reason: 'the name a is taken by /p/environments/a.ts' },
  ]);
});

test('a file that cannot be parsed is reported and the rest is listed', async () => {
  const files = createFiles({ '/p/environments/a.ts': 'defineEnvironment({', '/p/environments/b.ts': define('b') });
  const problems: DiscoveryProblem[] = [];
  const found = await discoverEnvironments({
    cwd: '/p',
    env: {},
    files,
    onProblem: (problem) => problems.push(problem),
  });
  expect(found.map(({ name }) => name)).toEqual(['b']);
  expect(problems).toEqual([{ path: '/p/environments/a.ts', reason: expect.stringContaining('cannot be parsed') }]);
});

test('agent environments are found as definitions and as classes', () => {
  const source = `
    import { AgentEnvironment as Base, defineAgentEnvironment } from '${SDK}';
    export const repair = defineAgentEnvironment({ name: 'repair', defaultToolsets: ['terminal'] });
    export class ShellTasks extends Base { name = 'shell-tasks'; }
  `;
  expect(scanTypeScript('/e/agents.ts', source).map(({ name }) => name)).toEqual(['repair', 'shell-tasks']);
});
