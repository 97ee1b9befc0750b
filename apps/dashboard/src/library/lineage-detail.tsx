import type { Lineage } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CommandLine } from '../parts/command-line.tsx';
import { writeCount } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Loading, Refused } from '../parts/states.tsx';
import { keyOf, type Box } from './graph/lay-out-lineage.ts';
import { lineageQuery } from './queries.ts';

type Thing = Box & { id: string };
type Relation = readonly [reading: string, kind: string];

/** What an arrow says, read from its end and from its beginning. */
const READ: Readonly<Record<string, Relation>> = {
  'row-of': ['has a row from', 'is a row of'],
  'rated-row-of': ['has a row rated by', 'rates a row of'],
  'input-of': ['read', 'was read by'],
  'trained-into': ['learnt from', 'was learnt by'],
  produced: ['was made by', 'made'],
  'registered-as': ['is the checkpoint', 'is registered as'],
  'parent-of': ['goes on from', 'was trained on as'],
  rewarded: ['was scored by', 'scored'],
  answered: ['was answered by', 'answered in'],
  'rerolled-as': ['was sampled again from', 'was sampled again in'],
};
const SHOWN = 12;

/** One thing of the graph: its neighbours in words, where it is read, and what forgetting it would touch. */
export function LineageDetail({ lineage, box }: { lineage: Lineage; box: Thing }): ReactNode {
  const key = keyOf(box);
  const arrows = [...lineage.back.arrows, ...lineage.forward.arrows];
  const near = arrows.flatMap(({ from, to, relation }) => {
    const [atEnd, atStart] = READ[relation] ?? [relation, relation];
    if (keyOf(to) === key) return [{ text: atEnd, other: from }];
    return keyOf(from) === key ? [{ text: atStart, other: to }] : [];
  });
  return (
    <div className="stack">
      <h2 className="wrap">
        {box.kind === 'dataset' ? 'data set' : box.kind} {lineage.names[box.id] ?? box.id}
      </h2>
      <p className="row">
        <OpenLink box={box} />
        {key !== keyOf(lineage.from) && (
          <Link to="/lineage/$kind/$id" params={{ kind: box.kind, id: box.id }}>
            put it in the middle
          </Link>
        )}
      </p>
      <ul className="near">
        {near.slice(0, SHOWN).map(({ text, other }) => (
          <li key={`${text} ${keyOf(other)}`}>
            <span className="soft">{text}</span>
            <Link to="." search={(search) => ({ ...search, at: keyOf(other) })} className="mono cut">
              {lineage.names[other.id] ?? other.id}
            </Link>
          </li>
        ))}
        {near.length > SHOWN && <li className="soft">and {writeCount(near.length - SHOWN)} more</li>}
      </ul>
      {(box.kind === 'trajectory' || box.kind === 'feedback') && <Forgetting box={box} />}
    </div>
  );
}

function OpenLink({ box: { kind, id, label } }: { box: Thing }): ReactNode {
  if (kind === 'model')
    return (
      <Link to="/models/$model" params={{ model: label }}>
        open the model
      </Link>
    );
  if (kind === 'dataset')
    return (
      <Link to="/data" search={{ at: label }}>
        open the data set
      </Link>
    );
  if (kind === 'run')
    return (
      <Link to="/runs/$run" params={{ run: id }}>
        open the run
      </Link>
    );
  if (kind === 'trajectory') {
    return (
      <Link to="/trajectories/$trajectory" params={{ trajectory: id }}>
        read it
      </Link>
    );
  }
  return null;
}

/** Before it is done: the data sets that lose a row, and the models that learnt from them and stay as they are. */
function Forgetting({ box }: { box: Thing }): ReactNode {
  const { data, error } = useQuery(lineageQuery(`${box.kind}:${box.id}`));
  if (error !== null && data === undefined) return <Refused error={error} />;
  if (data === undefined) return <Loading rows={2} label="Asking what it would touch" />;
  const touched = (kind: string): string[] =>
    data.forward.nodes.filter((node) => node.kind === kind).map(({ id }) => data.names[id] ?? id);
  const [sets, models] = [touched('dataset'), touched('model')];
  const isRating = box.kind === 'feedback';
  return (
    <section className="stack forgetting">
      <h2>What {isRating ? 'taking this rating back' : 'forgetting this'} would touch</h2>
      <ul className="gates">
        <li>
          <Mark shape={sets.length === 0 ? 'tick' : 'triangle'} tone={sets.length === 0 ? 'good' : 'warn'} />
          <span className="soft">data sets</span>
          <span className="wrap">
            {sets.length === 0
              ? 'none has a row of it'
              : `${sets.join(', ')}: ${isRating ? 'keep their rows' : 'its text goes out of their rows, which are marked'}`}
          </span>
        </li>
        <li>
          <Mark shape={models.length === 0 ? 'tick' : 'triangle'} tone={models.length === 0 ? 'good' : 'warn'} />
          <span className="soft">models</span>
          <span className="wrap">
            {models.length === 0 ? 'none learnt from it' : `${models.join(', ')}: learnt from it, and stay as they are`}
          </span>
        </li>
      </ul>
      <CommandLine command={isRating ? `feedback withdraw ${box.id}` : `trajectories forget ${box.id}`} />
    </section>
  );
}
