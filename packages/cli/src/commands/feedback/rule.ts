import { readRules } from '@lachesis/protocol';
import { ConfigError, importOwnFile, readYamlFile } from '@lachesis/sdk/config';
import { defineCommand } from 'citty';
import { resolve } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import type { FeedbackRule } from '../../library/grade-by-rules.ts';
import { needFile, readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { runRules } from './rule-run.ts';
import { walkTrajectories } from './walk.ts';
import { filterFlags, readFilter } from '../../flags/filter.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  file: {
    type: 'string',
    required: true,
    description: 'rules: YAML, JSON, or a TypeScript file whose default export is the list',
  },
  ...filterFlags,
  limit: { type: 'string', description: 'at most so many trajectories' },
  ...libraryFlags,
} as const;

export const feedbackRuleCommand = defineCommand({
  meta: {
    name: 'rule',
    description: 'Let rules of your own score trajectories. Run again, they revise what they said.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const rules = await loadRules(args.file);
    const limit = readWholeNumber('limit', args.limit) ?? Number.POSITIVE_INFINITY;
    await withLibrary(args, async (library) => {
      const trajectoriesFound = walkTrajectories(library, readFilter(args, Date.now()), limit);
      const { trajectories, rules: report } = await runRules({ library, trajectories: trajectoriesFound, rules });
      if (args.json === true) writeJson({ trajectories, rules: report });
      else {
        const lines = report.map(
          ({ rule, scored, mean }) =>
            `  ${rule}: scored ${scored}${mean === null ? '' : `, mean ${mean.toFixed(2)}`}\n`,
        );
        process.stdout.write(`${trajectories} trajectories\n${lines.join('')}`);
      }
    });
  },
});

export async function loadRules(file: string, option = '--file'): Promise<FeedbackRule[]> {
  const explain = (error: unknown): never =>
    fail(
      ConfigError.isInstance(error)
        ? error.message
        : `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  needFile(file, option);
  const isModule = /\.[cm]?[jt]s$/.test(file);
  const value: unknown = isModule
    ? await importOwnFile(resolve(file))
        .then((module) => module['default'])
        .catch(explain)
    : await readYamlFile(file, { option }).catch(explain);
  const read = readRules(value);
  return 'rules' in read ? read.rules : fail(`${file}: ${read.problem}.`);
}
