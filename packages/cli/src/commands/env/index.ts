import { defineCommand } from 'citty';

export const envCommand = defineCommand({
  meta: { name: 'env', description: 'Run, check and make environments.' },
  subCommands: {
    check: () => import('./check.ts').then((module) => module.envCheckCommand),
    describe: () => import('./describe.ts').then((module) => module.envDescribeCommand),
    evaluate: () => import('./evaluate.ts').then((module) => module.envEvaluateCommand),
    examples: () => import('./examples.ts').then((module) => module.envExamplesCommand),
    grade: () => import('./grade.ts').then((module) => module.envGradeCommand),
    list: () => import('./list.ts').then((module) => module.envListCommand),
    mix: () => import('./mix.ts').then((module) => module.envMixCommand),
    new: () => import('./new.ts').then((module) => module.envNewCommand),
    process: () => import('./run.ts').then((module) => module.envProcessCommand),
    reverify: () => import('./reverify.ts').then((module) => module.envReverifyCommand),
    sample: () => import('./sample.ts').then((module) => module.envSampleCommand),
    serve: () => import('./run.ts').then((module) => module.envServeCommand),
  },
});
