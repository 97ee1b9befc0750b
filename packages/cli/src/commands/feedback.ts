import { defineCommand } from 'citty';

export const feedbackCommand = defineCommand({
  meta: { name: 'feedback', description: 'What people, rules and judges think of what was recorded.' },
  subCommands: {
    add: () => import('./feedback-add.ts').then((module) => module.feedbackAddCommand),
    agreement: () => import('./feedback-agreement.ts').then((module) => module.feedbackAgreementCommand),
    judge: () => import('./feedback-judge.ts').then((module) => module.feedbackJudgeCommand),
    list: () => import('./feedback-list.ts').then((module) => module.feedbackListCommand),
    rule: () => import('./feedback-rule.ts').then((module) => module.feedbackRuleCommand),
    withdraw: () => import('./feedback-list.ts').then((module) => module.feedbackWithdrawCommand),
  },
});
