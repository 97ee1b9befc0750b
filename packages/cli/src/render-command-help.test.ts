import type { ArgsDef } from 'citty';
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { COMMON_OPTIONS, EXAMPLES } from './command-examples.ts';
import { COMMANDS, type CommandEntry } from './command-table.ts';
import { findCommand, resolve } from './main-command.ts';
import { renderCommandHelp } from './render-command-help.ts';
import { writeCompletion } from './write-completion.ts';

interface Leaf {
  path: readonly string[];
  entry: CommandEntry;
  args: ArgsDef;
}

let leaves: Leaf[];

beforeAll(async () => {
  leaves = await readLeaves(COMMANDS, []);
}, 60_000);

async function readLeaves(entry: CommandEntry, path: readonly string[]): Promise<Leaf[]> {
  const isLeaf = path.length > 0 && (entry.commands === undefined || entry.isRunAlone === true);
  const own = isLeaf ? [{ path, entry, args: (await resolve((await findCommand(path)).args)) ?? {} }] : [];
  const below = Object.entries(entry.commands ?? {}).map(([name, each]) => readLeaves(each, [...path, name]));
  return [...own, ...(await Promise.all(below)).flat()];
}

const render = ({ path, entry, args }: Leaf, columns = 80): string =>
  renderCommandHelp({ path, description: entry.description, args, commands: {}, columns, isColoured: false });

it('every command has two examples, and none is of a command that does not exist', () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(leaves.map(({ path }) => path.join(' ')).toSorted());
});

it('each example is understood: every option exists, and what is required is there', () => {
  const wrong = leaves.flatMap(({ path, args }) =>
    (EXAMPLES[path.join(' ')] ?? []).flatMap((example) =>
      refuse(example, args).map((why) => `${path.join(' ')} ${example}: ${why}`),
    ),
  );
  expect(wrong).toEqual([]);
});

/** Of what stands before a redirection. Settings of an environment are its own to know. */
function refuse(example: string, args: ArgsDef): string[] {
  const words = [...(example.split(/(?:^| )[<>]/)[0] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  const named = Object.entries(args).filter(([, { type }]) => type !== 'positional');
  const options = Object.fromEntries(
    named.map(([name, arg]) => {
      const alias = 'alias' in arg ? [arg.alias ?? []].flat().find(({ length }) => length === 1) : undefined;
      return [
        name,
        {
          type: arg.type === 'boolean' ? ('boolean' as const) : ('string' as const),
          ...(alias === undefined ? {} : { short: alias }),
        },
      ];
    }),
  );
  const ofSections = words.flatMap((word) =>
    /^--(?:env|openai|tinker)\./.test(word) ? [[word.slice(2), { type: 'string' as const }] as const] : [],
  );
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: { ...options, ...Object.fromEntries(ofSections) },
      allowPositionals: true,
    });
    const wanted = Object.values(args).filter(
      ({ type, required }) => type === 'positional' && required !== false,
    ).length;
    const missing = named
      .filter(([name, { required }]) => required === true && !(name in values))
      .map(([name]) => `--${name} is missing`);
    return [...missing, ...(positionals.length < wanted ? ['a word is missing'] : [])];
  } catch (error) {
    return [(error as Error).message];
  }
}

it('no line of any help is wider than the terminal, and no word is broken', () => {
  for (const leaf of leaves) {
    const wide = render(leaf)
      .split('\n')
      .filter((line) => line.length > 80 && !line.startsWith('  lachesis '));
    expect(wide, leaf.path.join(' ')).toEqual([]);
    const words = new Set(render(leaf, 1000).split(/\s+/));
    expect(
      render(leaf)
        .split(/\s+/)
        .filter((word) => !words.has(word)),
      leaf.path.join(' '),
    ).toEqual([]);
  }
});

it('shows common options first, and every option once', () => {
  const up = leaves.find(({ path }) => path[0] === 'up') as Leaf;
  const text = render(up);
  expect(text.indexOf('--upstream-url')).toBeLessThan(text.indexOf('\nMore\n'));
  expect(text.indexOf('\n  --redact-names')).toBeGreaterThan(text.indexOf('\nMore\n'));
  for (const leaf of leaves) {
    const shown = [...render(leaf).matchAll(/^ {2}(?:-\w, )?--(?:no-)?([\w-]+)/gm)].map(([, name]) => name);
    const known = Object.entries(leaf.args).flatMap(([name, { type }]) =>
      type === 'positional' ? [] : [name.replace(/^no-/, '')],
    );
    expect(new Set(shown), leaf.path.join(' ')).toEqual(new Set(known));
    expect(shown.length, leaf.path.join(' ')).toBe(known.length);
  }
});

it('a command of many options says which are common', () => {
  const silent = leaves.filter(({ path, args }) => {
    const ofIts = [...render({ path, entry: { description: '' }, args }).matchAll(/\nOptions\n([^]*?)\n\n/g)].flatMap(
      ([, rows]) => rows?.match(/^ {2}-/gm) ?? [],
    );
    return ofIts.length > 16;
  });
  expect(silent.map(({ path }) => path.join(' '))).toEqual([]);
  const unknown = Object.keys(COMMON_OPTIONS).filter((name) => !leaves.some(({ path }) => path.join(' ') === name));
  expect(unknown).toEqual([]);
});

it('bash completes commands and options', () => {
  const options = Object.fromEntries(
    leaves.map(({ path, args }) => [path.join(' '), Object.keys(args).map((name) => `--${name}`)]),
  );
  const script = writeCompletion('bash', COMMANDS, options);
  const complete = (...words: string[]): string[] =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lachesis; printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        'lachesis',
        ...words,
      ],
      { encoding: 'utf8' },
    )
      .trim()
      .split('\n');
  expect(complete('traj')).toEqual(['trajectories']);
  expect(complete('data', 'sets', 'm')).toEqual(['make']);
  expect(complete('up', '--upstream-u')).toEqual(['--upstream-url']);
  expect(complete('train', 'sft', '--dataset', 'up', '--ep')).toEqual(['--epochs']);
});
