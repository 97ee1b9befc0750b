import { defineCommand } from 'citty';

export const feedbackCommand = defineCommand({
  meta: { name: 'feedback', description: 'What people, rules and judges think of what was recorded.' },
  subCommands: {
    add: () => import('./add.ts').then((module) => module.feedbackAddCommand),
    agreement: () => import('./agreement.ts').then((module) => module.feedbackAgreementCommand),
    judge: () => import('./judge.ts').then((module) => module.feedbackJudgeCommand),
    list: () => import('./list.ts').then((module) => module.feedbackListCommand),
    rule: () => import('./rule.ts').then((module) => module.feedbackRuleCommand),
    withdraw: () => import('./list.ts').then((module) => module.feedbackWithdrawCommand),
  },
});
