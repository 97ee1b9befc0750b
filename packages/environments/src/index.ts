/** `@lachesis/environments`: environments that are ready to train on. */
export { default as arithmeticToy } from './arithmetic-toy/arithmetic-toy.ts';
export { default as digits } from './digits/digits.ts';
export { listWarmUpExamples } from './digits/list-warm-up-examples.ts';
export { default as gsm8k } from './gsm8k/gsm8k.ts';
export { default as codeRepair } from './code-repair/code-repair.ts';
export { default as rlhf } from './rlhf/rlhf.ts';
export { default as terminalTasks } from './terminal-tasks/terminal-tasks.ts';
