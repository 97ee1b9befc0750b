import { createRecordCommand } from './records.ts';

export const trainDpoCommand = createRecordCommand({
  method: 'dpo',
  description: 'Learn from pairs of a data set: the better reply more, the worse one less.',
});
