import { defineCommand } from 'citty';
import { envCheckCommand } from './check.ts';
import { envDescribeCommand } from './describe.ts';
import { envExamplesCommand } from './examples.ts';
import { envGradeCommand } from './grade.ts';
import { envListCommand } from './list.ts';
import { envNewCommand } from './new.ts';
import { envReverifyCommand } from './reverify.ts';
import { envEvaluateCommand, envProcessCommand, envServeCommand } from './run.ts';

export const envCommand = defineCommand({
  meta: { name: 'env', description: 'Run, check and make environments.' },
  subCommands: {
    check: envCheckCommand,
    describe: envDescribeCommand,
    evaluate: envEvaluateCommand,
    examples: envExamplesCommand,
    grade: envGradeCommand,
    list: envListCommand,
    new: envNewCommand,
    process: envProcessCommand,
    reverify: envReverifyCommand,
    serve: envServeCommand,
  },
});
