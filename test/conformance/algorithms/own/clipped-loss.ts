import { defineLoss } from '@lachesis/tinker';

/** The loss of GRPO without its KL term, as somebody writes it who does not know ours. */
export default defineLoss({
  name: 'clipped',
  loss({ learner, sampler, advantages }) {
    const ratio = learner.minus(sampler).exp();
    const held = ratio.clip(0.8, 1.2);
    return {
      loss: ratio.times(advantages).min(held.times(advantages)).mean('sequence').mean().times(-1),
      metrics: { ratio: ratio.mean() },
    };
  },
});
