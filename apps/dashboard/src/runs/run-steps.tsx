import type { RolloutStep } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { stepsQuery } from '../api/queries.ts';
import { writeCount, writeMoment, writeNumber } from '../parts/format.ts';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { useRows } from '../shell/use-rows.ts';

/** The newest steps: what each was trained on, and what it was worth. */
export function RunSteps({ run, isEnded }: { run: string; isEnded: boolean }): ReactNode {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(stepsQuery(run, isEnded));
  const steps = data?.steps ?? [];
  const at = useRows({
    ids: steps.map(({ step }) => String(step)),
    onOpen: (step) => void navigate({ to: '/runs/$run/steps/$step', params: { run, step } }),
    onReach: (index) =>
      document.querySelector(`[data-step="${steps[index]?.step}"]`)?.scrollIntoView({ block: 'nearest' }),
  });
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={6} />;
  if (steps.length === 0) return <Empty title="No step yet.">A step is made when a batch of groups is full.</Empty>;
  const lost = steps.filter(({ is_kept }) => !is_kept).length;
  return (
    <div className="stack">
      {lost > 0 && (
        <Partial>
          The rollouts of {lost} of these steps are not kept any more (`rollout_retention_gb`); their rewards are.
        </Partial>
      )}
      <div className="scroll-x" tabIndex={0} role="group" aria-label="Steps">
        <table>
          <thead>
            <tr>
              <th>Step</th>
              <th>State</th>
              <th className="number">Reward</th>
              <th>Lowest to highest</th>
              <th className="number">Groups</th>
              <th className="number">Rollouts</th>
              <th className="number">Trained tokens</th>
              <th className="number">Policy</th>
              <th className="number">Ended</th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <StepRow key={step.step} run={run} step={step} isAt={String(step.step) === at} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function StepRow({ run, step, isAt }: { run: string; step: RolloutStep; isAt: boolean }): ReactNode {
  return (
    <tr className={isAt ? 'at' : ''} data-step={step.step}>
      <td>
        <Link to="/runs/$run/steps/$step" params={{ run, step: String(step.step) }}>
          {step.step}
        </Link>
      </td>
      <td className="soft">{step.state}</td>
      <td className="number">{writeNumber(step.mean_reward)}</td>
      <td className="soft">
        {writeNumber(step.lowest_reward)} to {writeNumber(step.highest_reward)}
      </td>
      <td className="number">{writeCount(step.groups)}</td>
      <td className="number">{step.rollouts === null ? '–' : writeCount(step.rollouts)}</td>
      <td className="number">{step.trained_tokens === null ? '–' : writeCount(step.trained_tokens)}</td>
      <td className="number">{step.policy_version ?? '–'}</td>
      <td className="number soft">{step.ended_at === null ? '–' : writeMoment(step.ended_at)}</td>
    </tr>
  );
}
