import { createRecordCommand } from './records.ts';

export const trainKtoCommand = createRecordCommand({
  method: 'kto',
  description: 'Learn from single rated replies of a data set; a lone bad one counts too.',
});
