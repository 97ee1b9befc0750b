import { createRecordCommand } from './records.ts';

export const trainRewardCommand = createRecordCommand({
  method: 'reward',
  description: 'Learn from pairs of a data set what a reply is worth: a reward model.',
});
