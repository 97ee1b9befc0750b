import { findServerKey } from '@lachesis/protocol';
import { createJudge } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { chooseModel } from '../../flags/choose-model.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { runJudge, type JudgeReport } from './judge-run.ts';
import { walkTrajectories } from './walk.ts';
import { filterFlags, readFilter } from '../../flags/filter.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const FORMATS = ['json_schema', 'json_object', 'none'] as const;
const { model: _model, ...otherFilters } = filterFlags;

const flags = {
  rubric: { type: 'string', required: true, description: 'file that says what a good answer is' },
  model: { type: 'string', description: 'the judge [OPENAI_MODEL]; asked for on a terminal when left out' },
  'base-url': {
    type: 'string',
    description:
      'its OpenAI-compatible server, with /v1 [OPENAI_BASE_URL]; its key is LACHESIS_JUDGE_API_KEY, or that of its provider, such as OPENAI_API_KEY',
  },
  format: { type: 'string', description: `how the server holds the judge to a form: ${FORMATS.join(', ')}` },
  'of-model': { type: 'string', description: 'judge replies of this model' },
  ...otherFilters,
  limit: { type: 'string', description: 'at most so many trajectories' },
  parallel: { type: 'string', description: 'questions under way at once (default: 4)' },
  ...libraryFlags,
} as const;

const DEFAULT_PARALLEL = 4;
const SHOWN_FAILURES = 10;

export const feedbackJudgeCommand = defineCommand({
  meta: {
    name: 'judge',
    description: 'Let a model score trajectories by a rubric. A judge that fails gives no number.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const rubric = await readFile(args.rubric, 'utf8').catch((error: unknown) =>
      fail(`${args.rubric} cannot be read: ${error instanceof Error ? error.message : String(error)}`),
    );
    if (rubric.trim() === '') fail(`${args.rubric} is empty: say in it what a good answer is.`);
    const url = args['base-url'] ?? process.env['OPENAI_BASE_URL'];
    if (url === undefined || url === '')
      return fail('name the judge’s server: --base-url http://…/v1, or `lachesis inference use`.');
    const named = args.model ?? process.env['OPENAI_MODEL'];
    const apiKey = process.env['LACHESIS_JUDGE_API_KEY'] ?? findServerKey(url, process.env);
    const command = 'lachesis feedback judge --model <model>';
    const model = named === undefined || named === '' ? await chooseModel({ url, apiKey, command }) : named;
    const ask = createJudge({
      url,
      model,
      apiKey,
      responseFormat: readFormat(args.format),
    });
    const limit = readWholeNumber('limit', args.limit) ?? Number.POSITIVE_INFINITY;
    const filter = {
      ...readFilter({ ...args, model: undefined }, Date.now()),
      ...(args['of-model'] === undefined ? {} : { model: args['of-model'] }),
    };
    await withLibrary(args, async (library) => {
      const report = await runJudge({
        library,
        trajectories: walkTrajectories(library, filter, limit),
        ask,
        rubric,
        rubricName: basename(args.rubric),
        author: model,
        parallel: Math.max(1, readWholeNumber('parallel', args.parallel) ?? DEFAULT_PARALLEL),
      });
      if (args.json === true) writeJson(report);
      else process.stdout.write(describe(report));
      // Who runs this in a script must see that numbers are missing.
      if (report.failed > 0) process.exitCode = 1;
    });
  },
});

function describe({ judged, abstained, failed, mean, failures }: JudgeReport): string {
  const lines = failures.slice(0, SHOWN_FAILURES).map((each) => `  ${each.trajectory_id}: ${each.reason}\n`);
  const average = mean === null ? '' : ` (mean ${mean.toFixed(2)})`;
  return `judged ${judged}${average}, abstained ${abstained}, failed ${failed}\n${lines.join('')}`;
}

function readFormat(given: string | undefined): (typeof FORMATS)[number] {
  if (given === undefined) return 'json_schema';
  return FORMATS.find((format) => format === given) ?? fail(`--format wants one of ${FORMATS.join(', ')}.`);
}
