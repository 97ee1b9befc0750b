import type { ModelImprovement, RegisteredModel } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { writeMoment } from '../parts/format.ts';
import { Mark, type MarkShape, type Tone } from '../parts/mark.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { improvementsQuery } from './queries.ts';

type Gate = readonly [shape: MarkShape, tone: Tone, what: string, said: string];

/** What stands for and against serving a version, as the server tells it: its weights, what was measured, how its improvement ended. */
export function listGates(model: RegisteredModel, improvements: readonly ModelImprovement[]): Gate[] {
  const made = improvements.find(({ stages }) =>
    stages.some(({ stage, content }) => stage === 'train' && content['model_version_id'] === model.model_version_id),
  );
  return [
    typeof model.weights_deleted_at === 'number'
      ? ['cross', 'bad', 'weights', `deleted ${writeMoment(model.weights_deleted_at)}`]
      : ['tick', 'good', 'weights', model.weights_path === '' ? 'those of the base model' : 'kept'],
    model.method === 'reward'
      ? ['cross', 'bad', 'method', 'a reward model writes no replies']
      : ['tick', 'good', 'method', model.method],
    model.evaluations.length === 0
      ? ['triangle', 'warn', 'evaluation', 'nothing was measured of it']
      : ['tick', 'good', 'evaluation', [...new Set(model.evaluations.map(({ name }) => name))].join(', ')],
    made === undefined
      ? ['dash', 'plain', 'improvement', 'none made it: no gate has judged it']
      : [
          ...((made.outcome === 'promoted' ? ['tick', 'good'] : ['triangle', 'warn']) as [MarkShape, Tone]),
          'improvement',
          [made.outcome ?? made.state, made.reason ?? made.progress].filter((part) => part !== null).join(': '),
        ],
  ];
}

export function GateList({ gates }: { gates: readonly Gate[] }): ReactNode {
  return (
    <ul className="gates">
      {gates.map(([shape, tone, what, said]) => (
        <li key={what}>
          <Mark shape={shape} tone={tone} />
          <span className="soft">{what}</span>
          <span className="wrap">{said}</span>
        </li>
      ))}
    </ul>
  );
}

/** The gates of a version, and the improvements of its name with the gate that ended each. */
export function ModelGates({ model }: { model: RegisteredModel }): ReactNode {
  const { data, error, refetch } = useQuery(improvementsQuery(model.name));
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={4} />;
  return (
    <div className="stack gates-view">
      <GateList gates={listGates(model, data.improvements)} />
      <h2>Improvements of {model.name}</h2>
      {data.improvements.length === 0 ? (
        <Empty title="None was begun." command={`improve --model ${model.name}`}>
          It learns from new ratings, measures on held-out rows, and promotes only what is better:
        </Empty>
      ) : (
        <ul className="gates">
          {data.improvements.map((each) => (
            <li key={each.improvement_id}>
              <Mark {...(each.outcome === 'promoted' ? { shape: 'tick', tone: 'good' } : { shape: 'square' })} />
              <span className="soft nowrap">{writeMoment(each.created_at)}</span>
              <span className="wrap">
                {each.outcome ?? `${each.state} at ${each.stage}`}
                {each.reason === null ? '' : `: ${each.reason}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
