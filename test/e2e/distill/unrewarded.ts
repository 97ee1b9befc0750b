import { defineEnvironment } from '@lachesis/sdk/environment';

import { describeTask } from '../learns/describe-task.ts';
import type { TaskItem } from '../learns/tasks.ts';

/** The prompts of a task whose every reply earns 0: what is learnt here was not learnt from a reward. */
export default defineEnvironment<TaskItem>({
  name: 'distill-unrewarded',
  ...describeTask('copy'),
  computeReward: () => 0,
});
