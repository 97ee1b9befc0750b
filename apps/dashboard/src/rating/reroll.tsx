import type { Feedback, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { requestJson, requestResponse } from '../api/request.ts';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Mounted } from '../reading/mounted.tsx';
import { feedbackQuery, turnQuery } from '../reading/queries.ts';
import { sayMissing } from '../reading/say-missing.ts';
import { showText } from '../reading/show-text.ts';
import { mountTranscript } from '../reading/transcript/mount-transcript.ts';
import { readEvents } from '../reading/transcript/read-events.ts';
import { TurnChoice } from '../reading/turn-choice.tsx';
import { useKeys } from '../shell/keys.ts';
import { askForReroll } from './ask-for-reroll.ts';
import { choiceKey, makeChoice } from './make-choice.ts';
import { WhatItTrains } from './what-it-trains.tsx';
import './rating.css';

/** One reply, by the trajectory and the turn it is in. */
export interface ReplyPlace {
  readonly trajectory: string;
  readonly turn: number;
}

interface RerollProps {
  summary: TrajectorySummary;
  turns: readonly TrajectoryTurn[];
  turn: number | undefined;
  /** The new reply that stands beside it. */
  against: ReplyPlace | undefined;
  author: string;
  onTurn: (turn: number) => void;
  onAgainst: (reply: ReplyPlace | undefined) => void;
  onClose: () => void;
}

/** Another reply to a turn beside the first, sampled from the same tokens. One key says which is better, and makes a pair. */
export function Reroll({ summary, turns, turn, against, author, onTurn, onAgainst, onClose }: RerollProps): ReactNode {
  const { trajectory_id: trajectory } = summary;
  const replied = turns.filter(({ replies }) => replies.length > 0);
  const current = replied.find(({ turn_index: index }) => index === turn) ?? replied.at(-1);
  const missing = whyNot(current);
  const [said, setSaid] = useState('');
  const sampling = useMutation({
    mutationFn: (index: number) => askForReroll({ trajectory, turn: index, onProgress: setSaid }),
    onSuccess: (made) => onAgainst({ trajectory: made.trajectory_id, turn: made.turn_index }),
  });
  const fresh = useQuery(turnQuery(against));
  const own = current === undefined ? undefined : { trajectory, turn: current.turn_index };
  const choosing = useChoice(own, against, author);

  const roll = (): void => {
    if (current !== undefined && missing === undefined && !sampling.isPending) sampling.mutate(current.turn_index);
  };
  const choose = (isNew: boolean): void => {
    if (own === undefined || against === undefined || fresh.data === undefined) return;
    choosing.choose(isNew ? makeChoice(against, own, author) : makeChoice(own, against, author));
  };
  const keys = [
    { keys: 'r', sign: 'r', label: against === undefined ? 're-roll' : 'once more', run: roll },
    { keys: 'ArrowLeft', sign: '←', label: 'first is better', run: () => choose(false) },
    { keys: 'ArrowRight', sign: '→', label: 'new is better', run: () => choose(true) },
    { keys: 'z', sign: 'z', label: 'undo', run: choosing.takeBack },
    { keys: 'Escape', sign: 'Esc', label: 'leave', run: onClose },
  ];
  useKeys(keys);

  if (current === undefined) return <Empty title="No reply of a model was recorded, so none can be asked for again." />;
  const prompt = current.replies[0]?.token_counts?.prompt ?? 0;
  const isOff: Readonly<Record<string, boolean>> = {
    r: missing !== undefined || sampling.isPending,
    ArrowLeft: fresh.data === undefined || choosing.isPending,
    ArrowRight: fresh.data === undefined || choosing.isPending,
    z: choosing.better === undefined || choosing.isPending,
  };
  return (
    <section className="stack reroll" aria-label="Re-roll">
      <TurnChoice turns={replied} current={current} onTurn={onTurn} />
      {missing === undefined ? (
        <p className="soft">
          The model that serves goes on from the {prompt.toLocaleString()} tokens before this reply, exactly as they
          were recorded.
        </p>
      ) : (
        <Partial>{missing}</Partial>
      )}
      <div className="rate-sides sides-2">
        <Side title="What it said" by={current.model} isBetter={choosing.better === 'own'} turn={current} />
        <Side
          title="Re-rolled"
          by={fresh.data?.model ?? null}
          isBetter={choosing.better === 'new'}
          turn={sampling.isPending ? undefined : fresh.data}
        >
          {sampling.isPending ? (
            <Loading rows={4} label={said === '' ? 'Sampling another reply' : said} />
          ) : sampling.isError ? (
            <Refused error={sampling.error} />
          ) : fresh.isError ? (
            <Refused error={fresh.error} onRetry={() => void fresh.refetch()} />
          ) : against !== undefined ? (
            <Loading rows={4} />
          ) : (
            <Empty title="Nothing was sampled yet.">
              {missing === undefined ? 'Press r for another reply.' : 'There is nothing to go on from.'}
            </Empty>
          )}
        </Side>
      </div>
      {choosing.error !== null && <Refused error={choosing.error} />}
      <div className="rate-keys" role="group" aria-label="Choose between the two">
        {keys.map(({ keys: key, sign, label, run }) => (
          <button key={key} type="button" onClick={run} disabled={isOff[key] === true}>
            <kbd>{sign}</kbd> {label}
          </button>
        ))}
      </div>
      {choosing.better === undefined ? (
        <WhatItTrains summary={summary} mode="pairs" />
      ) : (
        <p role="status">
          Kept: {choosing.better === 'new' ? 'the new reply' : 'what it said'} is better. The two are a pair.
        </p>
      )}
    </section>
  );
}

/** Why nothing can be sampled from a turn, as a sentence. */
function whyNot(turn: TrajectoryTurn | undefined): string | undefined {
  const reply = turn?.replies[0];
  if (reply === undefined) return undefined;
  if (reply.tokens_missing !== null)
    return `${sayMissing(reply.tokens_missing)} Nothing can go on from tokens that are not there.`;
  if ((reply.token_counts?.prompt ?? 0) > 0) return undefined;
  return 'The tokens of its prompt were not recorded, and text that is rendered again may be other tokens.';
}

interface SideProps {
  title: string;
  by: string | null;
  isBetter: boolean;
  turn: TrajectoryTurn | undefined;
  /** In place of a reply that is not there. */
  children?: ReactNode;
}

function Side({ title, by, isBetter, turn, children }: SideProps): ReactNode {
  // The reply alone: what came before it is the same on both sides.
  const options = useMemo(
    () => ({ events: turn === undefined ? [] : readEvents([{ ...turn, parent_index: null, messages: [] }]) }),
    [turn],
  );
  return (
    <section className="rate-side" aria-label={title}>
      <p className="side-head">
        <strong>{title}</strong>
        {by !== null && turn !== undefined && <span className="soft cut">{showText(by)}</span>}
        {isBetter && <span className="event-note">better</span>}
      </p>
      {turn === undefined ? (
        <div className="side-empty">{children}</div>
      ) : (
        <Mounted mount={mountTranscript} options={options} className="rate-body" />
      )}
    </section>
  );
}

/** What this person chose between the two, as the server has it. */
function useChoice(own: ReplyPlace | undefined, against: ReplyPlace | undefined, author: string) {
  const queries = useQueryClient();
  const isPair = own !== undefined && against !== undefined;
  const kept = [
    useQuery({ ...feedbackQuery(own?.trajectory ?? ''), enabled: isPair }).data ?? [],
    useQuery({ ...feedbackQuery(against?.trajectory ?? ''), enabled: isPair }).data ?? [],
  ].flat();
  const key = isPair ? choiceKey(own, against) : undefined;
  const said = kept.find(({ feedback }) => key !== undefined && feedback.key === key && feedback.author === author);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (next: Feedback['feedback'] | Pick<Feedback, 'feedback_id'>) => {
      if (!('feedback_id' in next)) await requestJson<Feedback>('/v1/feedback', { method: 'POST', body: next });
      else await requestResponse(`/v1/feedback/${encodeURIComponent(next.feedback_id)}`, { method: 'DELETE' });
    },
    onSuccess: () =>
      Promise.all(
        [own, against].map((reply) => queries.invalidateQueries({ queryKey: ['trajectory', reply?.trajectory] })),
      ),
  });
  const better = said === undefined ? undefined : said.feedback.trajectory_id === own?.trajectory ? 'own' : 'new';
  return {
    ...{ better, isPending, error },
    choose: mutate,
    takeBack: () => {
      if (said !== undefined) mutate(said);
    },
  };
}
