import { defineAdvantage } from '@lachesis/tinker';

/** Scores less their mean, over their deviation. */
export default defineAdvantage({
  name: 'grouped',
  advantage: ({ groups }) =>
    groups.map(({ scores }) => {
      const all = Array.from(scores);
      const mean = all.reduce((sum, score) => sum + score, 0) / all.length;
      if (all.length === 1) return [0];
      const squares = all.reduce((sum, score) => sum + (score - mean) ** 2, 0);
      return all.map((score) => (score - mean) / (Math.sqrt(squares / (all.length - 1)) + 1e-4));
    }),
});
