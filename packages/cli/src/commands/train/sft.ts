import { createRecordCommand } from './records.ts';

export const trainSftCommand = createRecordCommand({
  method: 'sft',
  description: 'Learn the replies of the conversations of a data set.',
});
