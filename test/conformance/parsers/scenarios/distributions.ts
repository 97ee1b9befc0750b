import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { TOOLSET_DISTRIBUTIONS } from '@lachesis/sdk/agent';
import { STANDARD_TOOLSETS } from '../../../../packages/sdk/src/agent/toolsets/standard-toolsets.ts';

import type { Scenario } from '../../../scenarios/scenario.ts';

const run = promisify(execFile);

const QUESTION = [
  'import json, toolsets, toolset_distributions as d',
  'tables = {name: entry["toolsets"] for name, entry in d.DISTRIBUTIONS.items()}',
  'names = sorted({name for table in tables.values() for name in table} | {"code_execution"})',
  'print("\\n" + json.dumps({"tables": tables, "members": {name: sorted(toolsets.resolve_toolset(name)) for name in names}}))',
].join('\n');

interface HermesTables {
  readonly tables: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly members: Readonly<Record<string, readonly string[]>>;
}

export const distributionsScenario: Scenario = {
  name: 'distributions',
  title: 'the toolsets and the seventeen distributions are those of the real Hermes',
  async run(context) {
    const python = process.env['LACHESIS_HERMES_PYTHON'];
    if (python === undefined) {
      const why = 'no LACHESIS_HERMES_PYTHON, see .ci/setup';
      context.reportNotRun({ name: 'distributions', why, bar: 'the same tables' });
      return;
    }
    const { stdout } = await run(python, ['-c', QUESTION], { timeout: 60_000, cwd: await context.scratch() });
    const hermes = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as HermesTables;
    const ours = Object.entries<Readonly<Record<string, number>>>(TOOLSET_DISTRIBUTIONS);
    const same = ours.filter(([name, chances]) => sortKeys(chances) === sortKeys(hermes.tables[name] ?? {}));
    context.report({
      name: 'distributions',
      figure: `${same.length} of ${ours.length} have the chances of Hermes, which has ${Object.keys(hermes.tables).length}`,
      bar: '17 of 17, and Hermes 17',
      ok: same.length === 17 && ours.length === 17 && Object.keys(hermes.tables).length === 17,
    });
    const toolsets = Object.entries<readonly string[]>(STANDARD_TOOLSETS);
    const equal = toolsets.filter(
      ([name, members]) => JSON.stringify([...members].sort()) === JSON.stringify(hermes.members[name]),
    );
    context.report({
      name: 'toolsets',
      figure: `${equal.length} of ${toolsets.length} hold the tools of Hermes`,
      bar: `${Object.keys(hermes.members).length} of ${Object.keys(hermes.members).length}`,
      ok: equal.length === toolsets.length && toolsets.length === Object.keys(hermes.members).length,
    });
  },
};

const sortKeys = (chances: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.entries(chances).sort(([a], [b]) => (a < b ? -1 : 1)));
