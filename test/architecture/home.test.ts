import { describe, expect, test } from 'vitest';
import { blankSource } from './blank-source.ts';
import { isTestFile, listSourceFiles, readRepositoryFile } from './source-files.ts';

/** Where the layout is written, and where payloads are opened. */
const owners = ['packages/protocol/src/home/', 'packages/store/src/home/', 'packages/store/src/blobs/open-blobs.ts'];

/** Homes that are not the folder of Lachesis. */
const otherHomes = [
  'packages/cli/src/agent/skills/skill.ts', // the folder of a skill
  'packages/cli/src/commands/models/hand-off.ts', // the cache of the hub
  'packages/sdk/src/hub/read-hub-settings.ts', // the same
  'packages/sdk/src/sandbox/local/create-local-provider.ts', // the folder of a sandbox
  'packages/sdk/src/sandbox/ssh/create-ssh-provider.ts', // the same, elsewhere
];

const useLayout =
  'Take the path from `homePaths`, `runPath` or `outboxPaths` of @lachesis/protocol/home; a new name belongs there.';

interface Rule {
  name: string;
  pattern: RegExp;
  instead: string;
  /** Whether files that know another home may do it too. */
  mayOtherHomes?: boolean;
}

const rules: Rule[] = [
  {
    name: 'joins the home with a name',
    pattern: /\b(?:join|resolve)\(\s*(?:[\w.]+\.)?(?:home|[a-z]+(?<!user)Home|findHome\([^)]*\)|readHome\([^)]*\))\s*,/,
    instead: useLayout,
    mayOtherHomes: true,
  },
  { name: 'writes a path of the home', pattern: /\$\{(?:[\w.]+\.)?home\}\//, instead: useLayout, mayOtherHomes: true },
  {
    name: 'names a file of the home',
    pattern: /(['"])(?:lachesis\.db|outbox|outbox-tenants|secrets\.env|gateway-key|prices\.yaml|\.lachesis)\1/,
    instead: useLayout,
  },
  {
    name: 'opens payloads by itself',
    pattern: /(?<!function )\bopen(?:File|Home)?Blobs\(/,
    instead:
      'Open the home with `openHome` of @lachesis/store: it makes sure that the payloads are those of the database.',
  },
];

function findTrespasses(file: string, source: string): string[] {
  if (owners.some((folder) => file.startsWith(folder))) return [];
  const code = blankSource(source);
  return rules
    .filter(({ mayOtherHomes }) => mayOtherHomes !== true || !otherHomes.includes(file))
    .flatMap(({ name, pattern, instead }) =>
      [...code.matchAll(new RegExp(pattern, 'g'))].map(
        (match) => `${file}:${code.slice(0, match.index).split('\n').length} ${name} (${match[0]}). ${instead}`,
      ),
    );
}

test('nobody else knows the layout of the home or opens its payloads', () => {
  const found = listSourceFiles()
    .filter((file) => !isTestFile(file))
    .flatMap((file) => findTrespasses(file, readRepositoryFile(file)));
  expect(found.join('\n')).toBe('');
});

describe('a file that knows the home is found', () => {
  test.each([
    ["join(home, 'runs', run)", 'joins'],
    ["path.join(settings.home, 'x')", 'joins'],
    ['join(\n  options.home,\n  name)', 'joins'],
    ["resolve(sqliteHome, 'x')", 'joins'],
    ["join(findHome(args.home), 'x')", 'joins'],
    ['`${settings.home}/blobs`', 'writes'],
    ["join(folder, 'lachesis.db')", 'names'],
    ["join(homedir(), '.lachesis')", 'names'],
    ["openFileBlobs({ directory: 'x' })", 'opens'],
    ['openHomeBlobs({ store, home })', 'opens'],
    ['openBlobs({ place })', 'opens'],
  ])('%s', (source, name) => {
    expect(findTrespasses('packages/cli/src/commands/a.ts', source)).toEqual([expect.stringContaining(` ${name} `)]);
    expect(findTrespasses('packages/store/src/home/a.ts', source)).toEqual([]);
  });

  test.each([
    "join(userHome, '.local/bin')",
    "// join(home, 'blobs')",
    "join(runPath(home, run), 'x')",
    'resolve(home)',
  ])('and not %s', (source) => {
    expect(findTrespasses('packages/cli/src/commands/a.ts', source)).toEqual([]);
  });
});
