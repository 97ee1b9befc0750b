/** What the canned model does in one rollout: a command a turn, then an answer. Both sides run these words. */
export const COMMANDS: readonly string[] = [
  'ls -la',
  "awk -F, '{ sum += $2 } END { print sum }' data.csv > sum.txt",
  // Stands for a test run: it takes its time and leaves the processor alone, so that the machine does not decide.
  'sleep 0.25; echo 1 failed',
  "sed -i 's/wool/silk/' data.csv",
  'sleep 0.25; echo ok',
  'cat sum.txt',
];

/** Found in front of every task's text, so that a question for something else is known. */
export const TASK = 'Sum up the second column of data.csv.';

export const ROWS = 40;

export const DATA = Array.from({ length: ROWS }, (_, row) => `wool,${row},${row * row}\n`).join('');

export const ANSWER = String((ROWS * (ROWS - 1)) / 2);
