import type { ControlPlan } from '../../peers/aiohttp/run-control-client.ts';

/** For the stand-in server. */
export const FAKE_PLAN: ControlPlan = {
  environment: 'digits',
  edit: ['group_size', 8],
  bad_edits: [
    ['lora_rank', 8],
    ['no_such_field', 1],
    ['group_size', 'many'],
  ],
  prompts: ['What is two and two?'],
  minimum_step: 1,
  wait_seconds: 20,
};

/** For a run of `letters` on the real engine. */
export const REAL_PLAN: ControlPlan = {
  ...FAKE_PLAN,
  environment: 'letters',
  edit: ['group_size', 4],
  wait_seconds: 150,
};
