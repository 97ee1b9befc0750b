import { defineCommand } from 'citty';
import { envCheckCommand } from './env-check.ts';
import { envDescribeCommand } from './env-describe.ts';
import { envExamplesCommand } from './env-examples.ts';
import { envGradeCommand } from './env-grade.ts';
import { envListCommand } from './env-list.ts';
import { envNewCommand } from './env-new.ts';
import { envReverifyCommand } from './env-reverify.ts';
import { envEvaluateCommand, envProcessCommand, envServeCommand } from './env-run.ts';

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
